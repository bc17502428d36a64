using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>Running the items of a portion, which all have one callback and one context.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// Runs items of the portion, if they are a group's to which nothing flows: what such an item needs is asked once for all of them. It
    /// ends where a look is due, and where an item has queued others, which come first. What it leaves, <see cref="RunOwn"/> runs one by one.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void RunPortion()
    {
        (Action<object?>? callback, object? kind) = _queues.PortionKind;
        if (kind is not GroupContext { FlowsNothing: true } context)
        {
            return;
        }

        WorkGroup group = context.Group;
        _group.Enter(group);
        if (_installed.Item is not null)
        {
            Install(null, null);
        }

        ResetContextIfChanged(); // where the compiler finds the thread's contexts, for all that follow
        while ((_state.Attention == 0 || Attend()) && --_pace.PicksLeft > 0 && _queues.LocalCount == 0 && _installed.Item is null)
        {
            object? state = _queues.TakeStateFromPortion();
            if (ReferenceEquals(state, Portion.Nothing))
            {
                return;
            }

            context.CallUnflowed(callback!, state);
            _group.EndItem(group);
            Completed();
        }
    }

    /// <summary>
    /// Whether all that waits is over before a woken worker would come, and a thread that polls for the end of these items asks for one if it
    /// is not (<see cref="WorkGroup.IsPolled"/>). A second worker would bring no gain then, and where the poller has the other processor, a loss.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool LeavesRequestToWaiter() => _queues.PortionCount != 0 && LeavesRequest();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool LeavesRequest()
    {
        // A full fence between the claim and the look at the poller: pairs with that in WorkGroup.PollForEnd. Either the poller's end is seen
        // here, or the portion in its look behind that.
        Interlocked.MemoryBarrier();
        Chaos.Point("Worker.LeavesRequest");
        return _queues.PortionKind.Context is GroupContext context
            && context.Group.IsPolled
            && Order.FitIntoAWake(PendingCount + _state.Injector.Count);
    }
}
