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
    /// Moves up to half of this worker's items, oldest first, into <paramref name="destination"/>, whose pusher is the
    /// caller. The lane before the deque: its items are the older ones. Returns how many; 0 also when this worker's
    /// gate could not be had.
    /// </summary>
    /// <param name="destination">The caller's lane.</param>
    /// <param name="localFirst">The deque before the lane.</param>
    private int TryStealInto(WorkItemRing destination, bool localFirst = false)
    {
        if (PendingCount == 0 || !_gate.TryRevoke())
        {
            return 0;
        }

        try
        {
            int moved = Move(localFirst ? _deque : _lane, destination);
            return moved != 0 ? moved : Move(localFirst ? _lane : _deque, destination);
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
