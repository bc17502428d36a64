using NativeThreading.Async;
using NativeThreading.EventLoops;

namespace NativeThreading;

/// <summary>Running delegates on the loop, with a task for their end.</summary>
public sealed partial class EventLoop
{
    /// <summary>Runs an action on the loop, behind what was posted before; also when called on the loop's thread.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>
    /// Completes when the action has ended. Continuations that were not registered on the loop's thread do not run on it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop is shutting down, and the caller is not on its thread.</exception>
    public Task InvokeAsync(Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        BeforeEntry();
        return new ActionOperation(this, action).Start(cancellationToken);
    }

    /// <summary>Runs a function on the loop, behind what was posted before; also when called on the loop's thread.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="InvokeAsync(Func{Task}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="InvokeAsync(Action, CancellationToken)" path="/returns"/>
    public Task<TResult> InvokeAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return new FunctionOperation<TResult>(this, function).Start(cancellationToken);
    }

    /// <summary>Runs an async function on the loop; its awaits resume on the loop. The shutdown waits until it completes.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>
    /// Completes as the task does that <paramref name="function"/> returned. As with <see cref="Task.Run(Func{Task})"/>, an
    /// <see cref="OperationCanceledException"/> that the function throws before, whatever its token, cancels it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop is shutting down, and the caller is not on its thread.</exception>
    public Task InvokeAsync(Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return new AsyncOperation<NoResult>(this, function).Start(cancellationToken);
    }

    /// <summary>Runs an async function on the loop; its awaits resume on the loop. The shutdown waits until it completes.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="InvokeAsync(Func{Task}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="InvokeAsync(Func{Task}, CancellationToken)" path="/returns"/>
    public Task<TResult> InvokeAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return new AsyncOperation<TResult>(this, function).Start(cancellationToken);
    }
}
