using System.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>Taking from this worker's queues as somebody else.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// The most a thief takes of local items at once. Half of a long queue would be fairer, but the owner waits while a
    /// thief copies.
    /// </summary>
    private const int MaxStolenBatch = 128;

    /// <summary>
    /// Moves up to half of this worker's items, oldest first, into the same queue of the thief, who calls and whose queues
    /// are empty: local ones stay local. The lane before the deque: its items are the older ones. Of the lane, whose
    /// items have an order, no more than fit into a short time. Returns how many; 0 also when this worker's gate could not
    /// be had.
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
            Chaos.Point("Worker.TryStealInto, inside");
            int moved = localFirst ? Move(_deque, thief._deque, MaxStolenBatch) : MoveLane(thief);
            return moved != 0 ? moved : localFirst ? MoveLane(thief) : Move(_deque, thief._deque, MaxStolenBatch);
        }
        finally
        {
            _gate.EndRevocation();
        }
    }

    /// <summary>What moves is older than what stays: the thief holds it, and the owner is to look whether it is late.</summary>
    private int MoveLane(Worker thief)
    {
        bool divides = HeldCount > 0;
        int moved = Move(_lane, thief._lane, thief._cost.MostPerBatch);
        if (moved > 1)
        {
            thief._batch.Begin(divides ? _batch.Divide() : Stopwatch.GetTimestamp(), thief._lane.Tail);
            thief.BeginHolding();

            // The owner may be counting its picks just now, and overwrite this: it then looks as late as it would anyway.
            Volatile.Write(ref _picksLeft, 1);
        }

        return moved;
    }

    private static int Move(WorkItemRing source, WorkItemRing destination, int most)
    {
        int batch = Math.Min((source.Count + 1) / 2, most);
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
