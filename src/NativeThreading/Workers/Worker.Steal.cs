using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>Taking from this worker's queues as somebody else.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// The most a thief takes at once. Half of a long queue would be fairer, but the owner waits while a thief copies.
    /// </summary>
    private const int MaxStolenBatch = 128;

    /// <summary>
    /// Moves up to half of this worker's items, oldest first, into the same queue of the thief, who calls: local ones stay
    /// local. The lane before the deque: its items are the older ones. Returns how many; 0 also when this worker's
    /// gate could not be had.
    /// </summary>
    /// <param name="thief">The calling worker.</param>
    /// <param name="localFirst">The deque before the lane.</param>
    private int TryStealInto(Worker thief, bool localFirst = false)
    {
        if (PendingCount == 0 || !_gate.TryRevoke())
        {
            return 0;
        }

        try
        {
            int moved = localFirst ? Move(_deque, thief._deque) : Move(_lane, thief._lane);
            return moved != 0 ? moved : localFirst ? Move(_lane, thief._lane) : Move(_deque, thief._deque);
        }
        finally
        {
            _gate.EndRevocation();
        }
    }

    private static int Move(WorkItemRing source, WorkItemRing destination)
    {
        int batch = Math.Min((source.Count + 1) / 2, MaxStolenBatch);
        int moved = 0;
        WorkItem item = default;

        // Grown before the take, not after: running out of memory must not happen with an item in hand. The caller is
        // the destination's owner and excludes takes from it by its own gate (Refill).
        while (moved < batch && destination.HasFreeSlot && source.TryTakeOldest(ref item))
        {
            destination.TryPush(item.Callback!, item.State, item.Context);
            moved++;
        }

        return moved;
    }
}
