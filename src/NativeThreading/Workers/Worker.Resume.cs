using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using NativeThreading.Async;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// Going on with operations. <see cref="TaskScheduler.Current"/> is a running task's scheduler, so that a task must run
/// while an operation resumes: one, the carrier, for all resumptions in a row.
/// </summary>
internal sealed unsafe partial class Worker
{
    private static readonly Action<object?> s_carry = static worker => Unsafe.As<Worker>(worker!).Carry();

    private WorkItem _carried;
    private ExceptionDispatchInfo? _failure;
    private WorkerOperations? _operations;

    /// <summary>Knows an operation whose first part has returned: until it completes the pool does not stop.</summary>
    public void NoteOpen(Task operation) => (_operations ??= _pool.OpenOperations.AddList()).AddRecent(operation);

    /// <summary>Runs one, those that follow it in the own queues, and the item that then comes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Resume(Resumption first, Action<object?> callback, object? state)
    {
        LeaveGroup();
        (_carried.Callback, _carried.State, _carried.Context) = (callback, state, first);
        new InPlaceTask(s_carry, this).Start(_pool.Scheduler);
        if (_failure is not null)
        {
            ThrowFailure();
        }

        WorkItem next = _carried;
        if (next.Callback is not null)
        {
            _carried = default;
            Completed();
            RunIn(next.Context, next.Callback, next.State);
        }
    }

    /// <summary>The carrier's body: leaves the item that is no resumption, if it took one.</summary>
    private void Carry()
    {
        WorkItem item = _carried;
        _carried = default;
        do
        {
            if (item.Context is Resumption resumption)
            {
                SynchronizationContext.SetSynchronizationContext(new PoolSynchronizationContext(_pool));
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
        while (!_runsTimed && TryTakeNextToCarry(ref item));
    }

    /// <summary>Resumptions, and tasks: these bring the scheduler themselves, but to end the carrier for each would cost more.</summary>
    private bool TryTakeNextToCarry(ref WorkItem item)
    {
        if (_roster.Attention != 0 || _pace.PicksLeft <= 1 || !_queues.TryTake(ref item))
        {
            return false;
        }

        _pace.PicksLeft--;
        if (item.Context is not Resumption && !(item.Context is null && _pool.Scheduler.Executes(item.Callback)))
        {
            _carried = item;
            return false;
        }

        Completed(keepsContext: item.Context is not null);
        return true;
    }

    private void ThrowFailure()
    {
        ExceptionDispatchInfo failure = _failure!;
        _failure = null;
        failure.Throw();
    }
}
