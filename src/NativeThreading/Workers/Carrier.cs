using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Threads;

namespace NativeThreading.Workers;

/// <summary>
/// Going on with operations. <see cref="TaskScheduler.Current"/> is a running task's scheduler, so that a task must run
/// while an operation resumes: one, the carrier, for all resumptions that a worker takes in a row.
/// </summary>
internal sealed class Carrier(Worker worker, NativeThreadPool pool, PoolState shared)
{
    private static readonly Action<object?> s_carry = static carrier => Unsafe.As<Carrier>(carrier!).Carry();

    private WorkItem _item; // to begin with; or the one after, which is no resumption
    private ExceptionDispatchInfo? _failure;
    private bool _isTimed;

    /// <summary>Runs one, those that follow it in the own queues, and the item that then comes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Resume(Resumption first, Action<object?> callback, object? state)
    {
        worker.GroupTally.Leave();
        (_item.Callback, _item.State, _item.Context) = (callback, state, first);
        new InPlaceTask(s_carry, this).Start(pool.Scheduler);
        if (_failure is not null)
        {
            ThrowFailure();
        }

        WorkItem next = _item;
        if (next.Callback is not null)
        {
            _item = default;
            worker.Completed();
            worker.RunIn(next.Context, next.Callback, next.State);
        }
    }

    /// <summary>
    /// An item that is timed begins, behind what its listeners did. It is carried alone, or its time would be that of others,
    /// too. Returns what <see cref="EndTimed"/> takes.
    /// </summary>
    public bool BeginTimed()
    {
        worker.ResetContextIfChanged(); // what a listener left behind is not the item's (T34)
        bool outer = _isTimed;
        _isTimed = true;
        return outer;
    }

    /// <summary>It has ended.</summary>
    public void EndTimed(bool outer) => _isTimed = outer;

    /// <summary>The carrier's body: leaves the item that is no resumption, if it took one.</summary>
    private void Carry()
    {
        WorkItem item = _item;
        _item = default;
        do
        {
            if (item.Context is Resumption resumption)
            {
                SynchronizationContext.SetSynchronizationContext(new PoolSynchronizationContext(pool));
                if (resumption.Context is not null)
                {
                    ExecutionContext.Restore(resumption.Context);
                }
            }

            try
            {
                item.Callback!(item.State);
            }
            catch (Exception exception)
            {
                // What resumes a method does not throw, nor does a task; what somebody posted may. It is not the carrier's.
                _failure = ExceptionDispatchInfo.Capture(exception);
                return;
            }
        }
        while (!_isTimed && TryTakeNext(ref item));
    }

    /// <summary>Resumptions, and tasks: these bring the scheduler themselves, but to end the carrier for each would cost more.</summary>
    private bool TryTakeNext(ref WorkItem item)
    {
        if (shared.Attention != 0 || worker.Pace.PicksLeft <= 1 || !worker.Queues.TryTake(ref item))
        {
            return false;
        }

        worker.Pace.PicksLeft--;
        if (item.Context is not Resumption && !(item.Context is null && pool.Scheduler.Executes(item.Callback)))
        {
            _item = item;
            return false;
        }

        worker.Completed(keepsContext: item.Context is not null);
        return true;
    }

    private void ThrowFailure()
    {
        ExceptionDispatchInfo failure = _failure!;
        _failure = null;
        failure.Throw();
    }
}
