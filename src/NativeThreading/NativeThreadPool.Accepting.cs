using NativeThreading.Limits;
using NativeThreading.Queues;

namespace NativeThreading;

/// <summary>The queueing calls that tell, or wait, when the queue is full, without blocking.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>Queues a callback if there is a place for it; the execution context flows to it. Never blocks.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <returns>
    /// <see langword="false"/>, whatever the <see cref="QueueFullMode"/>: <see cref="QueueLimit"/> items wait, or callers
    /// stand in line for a place; nothing was queued.
    /// </returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception[not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(WorkItem.AsCallback(callBack), state, preferLocal: false);
    }

    /// <inheritdoc cref="TryQueueUserWorkItem(WaitCallback, object?)"/>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(AsCallback(callBack), AsState(callBack, state), preferLocal);
    }

    /// <summary>
    /// Queues a callback in the global order as soon as there is a place for it, without blocking; the execution context
    /// flows to it.
    /// </summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="cancellationToken">Ends the wait for a place; what has been accepted runs.</param>
    /// <returns>
    /// Completes when the item has been accepted: at once if there is a place; with <see cref="QueueFullMode.Wait"/> in
    /// the order in which callers came, also on the pool's own workers. Fails with <see cref="QueueFullException"/> where
    /// the mode is <see cref="QueueFullMode.Reject"/>, and with <see cref="ObjectDisposedException"/> where the pool is
    /// shutting down, or begins to while the caller waits. With <see cref="QueueFullMode.RunOnCaller"/> the item has run.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.AsCallback(callBack), state, cancellationToken);
    }

    /// <inheritdoc cref="QueueAsync(WaitCallback, object?, CancellationToken)"/>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(AsCallback(callBack), AsState(callBack, state), cancellationToken);
    }

    /// <summary>
    /// Runs an action as a task on this pool as soon as there is a place for it. As <c>Run</c>, but it never blocks, and
    /// what <c>Run</c> throws is the task's failure.
    /// </summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">
    /// Cancels the task until it begins, while it waits for a place and while it waits in the queue: its place is free at
    /// once.
    /// </param>
    /// <returns>
    /// The outcome. Fails with <see cref="QueueFullException"/> where the queue is full and the mode is
    /// <see cref="QueueFullMode.Reject"/>, with <see cref="ObjectDisposedException"/> where the pool is shutting down or
    /// begins to before there is a place, and with <see cref="OutOfMemoryException"/> where the pool has no thread and
    /// could not start one.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    public Task RunAsync(Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return Places is not null
            ? EnterRun(new LimitedAction(this, action, cancellationToken), isAsync: true)
            : Enter(static (pool, action, token) => pool.Run(action, token), action, Task.FromException, cancellationToken);
    }

    /// <summary>Runs a function as a task on this pool as soon as there is a place for it, without blocking.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the task until it begins; its place is free at once.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Places is not null
            ? EnterRun(new LimitedFunction<TResult>(this, function, cancellationToken), isAsync: true)
            : Enter(static (pool, function, token) => pool.Run(function, token), function, Task.FromException<TResult>, cancellationToken);
    }

    /// <summary>
    /// Runs an async function on this pool as soon as there is a place for it, without blocking; its awaits resume on the
    /// pool and need no place. Counts as work until it completes.
    /// </summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation until it begins; its place is free at once.</param>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Places is not null
            ? EnterRun(new LimitedOperation(this, function, cancellationToken), isAsync: true)
            : Enter(static (pool, function, token) => pool.Run(function, token), function, Task.FromException, cancellationToken);
    }

    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="RunAsync(Func{Task}, CancellationToken)"/>
    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Places is not null
            ? EnterRun(new LimitedOperation<TResult>(this, function, cancellationToken), isAsync: true)
            : Enter(static (pool, function, token) => pool.Run(function, token), function, Task.FromException<TResult>, cancellationToken);
    }

    /// <summary>Run, where the queue has no limit; a refusal is the task's failure.</summary>
    private TTask Enter<TDelegate, TTask>(
        Func<NativeThreadPool, TDelegate, CancellationToken, TTask> run,
        TDelegate function,
        Func<Exception, TTask> failed,
        CancellationToken cancellationToken)
    {
        try
        {
            return run(this, function, cancellationToken);
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return failed(exception);
        }
    }

    private bool TryEnqueue(Action<object?> callback, object? state, bool preferLocal)
    {
        if (Places is not null)
        {
            return TryEnqueueLimited(callback, state, preferLocal);
        }

        Enqueue(callback, state, flow: true, preferLocal);
        return true;
    }
}
