using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops;

// Callbacks on their way to the loop, and delegates with a task for their end.
public sealed partial class EventLoop
{
    /// <summary>Queues a callback after the caller's earlier callbacks. The execution context flows to it. Allocates nothing.</summary>
    /// <param name="callback">The callback to run. The loop's thread calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop has stopped; or it is shutting down, and the caller is not on its thread.
    /// The callback will not run.</exception>
    /// <remarks>An accepted callback runs on the loop's thread. If the token of a shutdown is cancelled first, it is dropped and
    /// counted.</remarks>
    public void Post(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Lifecycle.BeforeEntry();
        Enter(callback, state, DefaultContext.Flowing());
    }

    /// <summary>As <see cref="Post"/>, without the execution context.</summary>
    /// <inheritdoc cref="Post" path="/*[not(self::summary)]"/>
    public void UnsafePost(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Lifecycle.BeforeEntry();
        Enter(callback, state, context: null);
    }

    /// <summary>Queues a callback that runs only after the loop has polled the kernel again, and after the timers and descriptors that are
    /// ready by then. The execution context flows to it. Allocates nothing on the loop's thread.</summary>
    /// <remarks>
    /// <para>For work that continues itself, such as reading from a descriptor that always has more data. Callbacks of <see cref="Post"/> may
    /// run in the same turn, up to 256 of them, before the loop polls again. A callback of this method lets all other work run first.</para>
    /// <para>Callbacks that one thread queues by this method run in the order of the calls. An accepted callback runs on the
    /// loop's thread. If the token of a shutdown is cancelled first, it is dropped and counted.</para>
    /// </remarks>
    /// <param name="callback">The callback to run. The loop's thread calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <inheritdoc cref="Post" path="/exception"/>
    public void PostAfterPoll(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Lifecycle.BeforeEntry();
        EnterAfterPoll(callback, state, DefaultContext.Flowing());
    }

    /// <summary>As <see cref="PostAfterPoll"/>, without the execution context.</summary>
    /// <inheritdoc cref="PostAfterPoll" path="/*[not(self::summary)]"/>
    public void UnsafePostAfterPoll(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Lifecycle.BeforeEntry();
        EnterAfterPoll(callback, state, context: null);
    }

    /// <summary>Runs an action on the loop, after the callbacks that were posted before; also when called on the loop's thread.</summary>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
    /// <returns>A task that completes when the action has returned or thrown. Code that awaits it on another thread does not continue on the loop.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop is shutting down, and the caller is not on its thread.</exception>
    public Task InvokeAsync(Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return new LoopOperation<NoResult>(this, action).Start(cancellationToken);
    }

    /// <summary>Runs a function on the loop, after the callbacks that were posted before; also when called on the loop's thread.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="InvokeAsync(Func{Task}, CancellationToken)" path="/exception"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> InvokeAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return new LoopOperation<TResult>(this, function).Start(cancellationToken);
    }

    /// <summary>Runs an async function on the loop; its awaits resume on the loop. The shutdown waits until it completes.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
    /// <returns>A task with the outcome of the task that <paramref name="function"/> returns. As with <see cref="Task.Run(Func{Task})"/>, it is cancelled
    /// if the function throws an <see cref="OperationCanceledException"/> with any token before it returns a task.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop is shutting down, and the caller is not on its thread.</exception>
    public Task InvokeAsync(Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return new LoopOperation<NoResult>(this, function, isAsync: true).Start(cancellationToken);
    }

    /// <summary>Runs an async function on the loop; its awaits resume on the loop. The shutdown waits until it completes.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="InvokeAsync(Func{Task}, CancellationToken)" path="/exception"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> InvokeAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return new LoopOperation<TResult>(this, function, isAsync: true).Start(cancellationToken);
    }

    /// <summary>Queues a callback that continues accepted work. Never rejected.</summary>
    internal void PostContinuation(Action<object?> callback, object? state) => Enqueue(callback, state, ContinuationContext.Instance);

    /// <summary>Completes when the loop, or the built-in pool after the loop's end, has run everything that was posted before.</summary>
    internal Task WhenPostsHaveRun()
    {
        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        PostContinuation(static ran => ((TaskCompletionSource)ran!).SetResult(), ran);
        return ran.Task;
    }

    /// <summary>As <see cref="PostContinuation"/>, with a context of its own; a stop by token drops the waiting callbacks.</summary>
    internal void Enqueue(Action<object?> callback, object? state, object? context)
    {
        if (!TryEnqueue(callback, state, context))
        {
            Lifecycle.PassOn(new WorkItem { Callback = callback, State = state, Context = context });
        }
    }

    /// <summary><inheritdoc cref="LoopQueue.TryEnqueue" path="/summary"/></summary>
    internal bool TryEnqueue(Action<object?> callback, object? state, object? context)
    {
        try
        {
            return Queue.TryEnqueue(callback, state, context);
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            return false; // never reached
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Enter(Action<object?> callback, object? state, object? context)
    {
        if (!TryEnqueue(callback, state, context))
        {
            Lifecycle.ThrowShutDown();
        }
    }

    private void EnterAfterPoll(Action<object?> callback, object? state, ExecutionContext? context)
    {
        using var hold = new LoopHold(this);
        if (!hold.IsInLoop)
        {
            Enter(DeferredFromOutside.Defer, new DeferredFromOutside(this, callback, state, context), context: null);
        }
        else if (!Deferred.TryAdd(callback, state, context))
        {
            Lifecycle.ThrowShutDown();
        }
    }
}
