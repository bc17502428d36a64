using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>
/// What operations of <c>Run</c> resume through. An await that goes through a scheduler costs a task for every resumption, one that
/// goes through a context costs a queued item, or nothing: where the completing code has the context of the awaiting code, the
/// framework resumes in place, as on its own pool.
/// </summary>
/// <remarks>
/// So all operations on a pool's workers have one object, <see cref="NativeThreadPool.OperationContext"/>. Code of the pool on
/// any other thread has another one, otherwise code that awaits on the pool would continue there.
/// </remarks>
/// <param name="pool">The pool.</param>
/// <param name="options">The options of the operations that resume through the context, or <see langword="null"/>.</param>
internal sealed class PoolSynchronizationContext(NativeThreadPool pool, ItemOptions? options = null) : SynchronizationContext
{
    private readonly NativeThreadPool _pool = pool;

    /// <summary>Whether the caller is an operation of the pool, on any thread.</summary>
    public static bool IsOf(NativeThreadPool pool) => (Current as PoolSynchronizationContext)?._pool == pool;

    /// <summary>
    /// Queues as the built-in pool would: code that awaited a task locally, all else in the global order. Both an awaited task
    /// (an action) and a yield (its state machine, which is a task) bring their execution context themselves.
    /// </summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        bool isAwaitedTask = state is Action;
        ExecutionContext? flowing = isAwaitedTask || state is Task ? null : DefaultContext.Flowing();
        _pool.EnqueueResumption(WorkItem.AsCallback(d), state, flowing, preferLocal: isAwaitedTask, options);
    }

    /// <summary>In place on a thread of the pool; else on a worker, while the caller waits.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (NativeThreadPool.Current == _pool)
        {
            d(state);
            return;
        }

        Completion.Wait(Task.Factory.StartNew(
            new Action<object?>(d), state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, options?.Scheduler ?? _pool.Scheduler));
    }

    public override SynchronizationContext CreateCopy() => this;
}
