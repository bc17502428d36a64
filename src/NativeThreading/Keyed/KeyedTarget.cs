using System.Runtime.ExceptionServices;
using NativeThreading.Diagnostics;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Keyed;

/// <summary>The way in which an item enters, and in which its caller is notified if the pool rejects it.</summary>
internal enum KeyedEntry
{
    /// <summary>The call throws.</summary>
    Throws,

    /// <summary>The task of the call fails.</summary>
    InTask,

    /// <summary>The item continues accepted work. It is never rejected.</summary>
    Always,
}

/// <summary>The scheduler that runs the turns of a queue: a pool, or another scheduler through its public interface.</summary>
/// <remarks>
/// On a pool without a limit a turn is an item. On a pool with permits, and on other schedulers, its start is an operation, which the scheduler
/// counts until the turn has ended. A turn that continues is never rejected.
/// </remarks>
internal sealed class KeyedTarget
{
    private readonly NativeThreadPool? _pool;

    public KeyedTarget(IWorkScheduler scheduler)
    {
        Scheduler = scheduler;
        _pool = scheduler as NativeThreadPool;
        Context = _pool is null ? new ItemSynchronizationContext(scheduler) : new PoolSynchronizationContext(_pool);
    }

    public IWorkScheduler Scheduler { get; }

    /// <summary>The active observation of the pool's work, or <see langword="null"/>.</summary>
    public WorkObservation? Observation => (Scheduler as IObservedScheduler)?.Observation is { IsOn: true } observation ? observation : null;

    /// <summary>
    /// The context of running items. It posts to the pool, as that of operations does, but it is another object. So code that awaits a task which an
    /// item completes does not resume inside the item, where it would delay the next items.
    /// </summary>
    public SynchronizationContext Context { get; }

    /// <summary>Whether an item that continues does not run on the scheduler, because the scheduler has stopped.</summary>
    public bool IsElsewhere => _pool is null && !Scheduler.SwitchTo().GetAwaiter().IsCompleted;

    /// <summary>How many items a turn may run, and for how long, before it passes.</summary>
    public (int Items, long Ticks) Share(int weight) => _pool is null
        ? (weight, long.MaxValue) // a test steps by items
        : (weight * QueueTuning.TurnItems, weight * QueueTuning.TurnTicks);

    /// <summary>Queues a turn that starts new work.</summary>
    /// <returns>The operation, if the turn starts as one.</returns>
    public Task? Start(KeyedTurn turn, KeyedEntry entry)
    {
        if (_pool is { Admission: null })
        {
            _pool.BeforeEntry();
            _pool.EnqueueResumption(KeyedTurn.Callback, turn, null, preferLocal: false);
            return null;
        }

        return entry == KeyedEntry.InTask ? Scheduler.RunAsync(turn.RunOperation) : Scheduler.Run(turn.RunOperation);
    }

    /// <summary>Queues a turn after the turns of other lines. It is never rejected.</summary>
    /// <remarks>A worker would take a turn from its own queue before turns that came from outside. So the turn goes into the injector queue, whose
    /// items start in order.</remarks>
    public void Continue(KeyedTurn turn)
    {
        if (_pool is null)
        {
            Scheduler.SwitchTo().GetAwaiter().UnsafeOnCompleted(() => KeyedTurn.Callback(turn));
            return;
        }

        if (Worker.Current?.Pool == _pool && !_pool.IsStopped)
        {
            try
            {
                _pool.Publish(KeyedTurn.Callback, turn, _pool.ResumptionIn(null));
                _pool.AfterOutsidePublication();
                return;
            }
            catch (OutOfMemoryException)
            {
                // The turn was not published. The worker's own queue may have room.
            }
        }

        _pool.EnqueueResumption(KeyedTurn.Callback, turn, null, preferLocal: false);
    }

    /// <summary>A turn stays open after its item. A shutdown waits for it.</summary>
    public void NoteOpen(Task turn) => _pool?.NoteOpen(turn);

    /// <summary>Why items must not start, or <see langword="null"/>.</summary>
    public OperationCanceledException? StopReason(bool isElsewhere)
    {
        if (_pool is not null)
        {
            return _pool.IsStopped && _pool.StopToken is { } token ? CancelledTask.StopError(token) : null;
        }

        return isElsewhere ? new TaskCanceledException(CancelledTask.StopMessage) : null;
    }

    /// <summary>Rethrows an exception of a callback, in an item of the pool.</summary>
    public void Throw(Exception exception) => Scheduler.UnsafeQueueContinuation(
        static exception => exception.Throw(), ExceptionDispatchInfo.Capture(exception), preferLocal: true);

    /// <summary>Posts through <see cref="IWorkScheduler.SwitchTo"/>.</summary>
    private sealed class ItemSynchronizationContext(IWorkScheduler scheduler) : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
            ArgumentNullException.ThrowIfNull(d);
            SwitchToAwaitable.Awaiter awaiter = scheduler.SwitchTo().GetAwaiter();
            if (state is Action or Task)
            {
                awaiter.UnsafeOnCompleted(() => d(state)); // the callback carries its execution context
            }
            else
            {
                awaiter.OnCompleted(() => d(state));
            }
        }

        public override SynchronizationContext CreateCopy() => this;
    }
}
