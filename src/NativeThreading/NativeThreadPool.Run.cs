using NativeThreading.Async;
using NativeThreading.Limits;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Running delegates as tasks of this pool.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>Runs an action as a task on this pool.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException"><see cref="QueueLimit"/> items wait and <see cref="QueueFullMode"/> says so.</exception>
    /// <remarks>
    /// Where <see cref="QueueLimit"/> items wait, what happens is for <see cref="QueueFullMode"/> to say; continuations of
    /// what has begun need no place. The token frees the place of a task that it cancels at once.
    /// </remarks>
    public Task Run(Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (Places is not null)
        {
            return EnterRun(new LimitedAction(this, action, cancellationToken), isAsync: false);
        }

        BeforeEntry();
        return Factory.StartNew(action, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    /// <summary>Runs a function as a task on this pool.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (Places is not null)
        {
            return EnterRun(new LimitedFunction<TResult>(this, function, cancellationToken), isAsync: false);
        }

        BeforeEntry();
        return Factory.StartNew(function, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <remarks>The function runs under <see cref="Scheduler"/> and with a <see cref="SynchronizationContext"/> that posts to the pool.</remarks>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>
    /// Completes as the task does that <paramref name="function"/> returned. As with <see cref="Task.Run(Func{Task})"/>, an
    /// <see cref="OperationCanceledException"/> that the function throws before, whatever its token, cancels it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (Places is not null)
        {
            return EnterRun(new LimitedOperation(this, function, cancellationToken), isAsync: false);
        }

        BeforeEntry();
        var operation = new Operation(function, cancellationToken);
        if (!operation.Task.IsCompleted) // cancelled by a token that was cancelled before
        {
            EnqueueResumption(Operation.Begin, operation, DefaultContext.Flowing(), preferLocal: true);
        }

        return operation.Task.Unwrap();
    }

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <remarks>The function runs under <see cref="Scheduler"/> and with a <see cref="SynchronizationContext"/> that posts to the pool.</remarks>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>
    /// Completes as the task does that <paramref name="function"/> returned. As with <see cref="Task.Run(Func{Task})"/>, an
    /// <see cref="OperationCanceledException"/> that the function throws before, whatever its token, cancels it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (Places is not null)
        {
            return EnterRun(new LimitedOperation<TResult>(this, function, cancellationToken), isAsync: false);
        }

        BeforeEntry();
        var operation = new ResultOperation<TResult>(function, cancellationToken);
        if (!operation.Task.IsCompleted) // cancelled by a token that was cancelled before
        {
            EnqueueResumption(ResultOperation<TResult>.Begin, operation, DefaultContext.Flowing(), preferLocal: true);
        }

        return operation.Task.Unwrap();
    }

    /// <summary>Continues the async method on this pool: <c>await pool.SwitchTo();</c></summary>
    /// <returns>
    /// To be awaited at once. What follows runs under <see cref="Scheduler"/> and with a <see cref="SynchronizationContext"/>
    /// that posts to the pool, so that later awaits stay here too. Completes synchronously where the caller runs under the
    /// scheduler already.
    /// </returns>
    public SwitchToAwaitable SwitchTo() => new(this);

    /// <summary>
    /// Until here the operation was an item in a queue, and then a running one, either of which keeps the pool from
    /// stopping. Only what is still open when its first part has returned must be known, before that part's item ends.
    /// Where no worker runs it, the pool has stopped, or the caller runs it and notes it itself.
    /// </summary>
    internal static TTask? NoteIfOpen<TTask>(TTask? rest)
        where TTask : Task
    {
        if (rest is { IsCompleted: false } && Worker.Current is Worker worker && worker.Pool.Scheduler == TaskScheduler.Current)
        {
            worker.NoteOpen(rest);
        }

        return rest;
    }

    // A scheduler cannot tell an entry call from a continuation, so what concerns only entry calls happens here.
    private void BeforeEntry()
    {
        if (Worker.Current?.Pool != this)
        {
            BeforeEntryFromOutside();
        }
    }
}
