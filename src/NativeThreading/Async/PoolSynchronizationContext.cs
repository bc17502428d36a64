using NativeThreading.Queues;
using NativeThreading.Threads;

namespace NativeThreading.Async;

/// <summary>
/// What operations of <c>Run</c> resume through. An await that goes through a scheduler costs a task for every resumption,
/// one that goes through a context costs a queued item.
/// </summary>
/// <remarks>
/// One object for each item, never shared: where the context of the awaiting code is that of the completing code, the
/// framework resumes in place, with <see cref="TaskScheduler.Current"/> the runtime's. Queued, it finds the pool's.
/// </remarks>
internal sealed class PoolSynchronizationContext(NativeThreadPool pool) : SynchronizationContext
{
    /// <summary>
    /// Queues as the runtime's pool would: what awaited a task locally, all else in the global order. Both an awaited task
    /// (an action) and a yield (its state machine, which is a task) bring their execution context themselves.
    /// </summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        pool.EnqueueResumption(WorkItem.AsCallback(d), state, state is Action or Task ? null : DefaultContext.Flowing(), preferLocal: state is Action);
    }

    /// <summary>In place on a thread of the pool; else on a worker, while the caller waits.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (NativeThreadPool.Current == pool)
        {
            d(state);
            return;
        }

        Task.Factory.StartNew(new Action<object?>(d), state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, pool.Scheduler)
            .GetAwaiter().GetResult();
    }

    public override SynchronizationContext CreateCopy() => this;
}
