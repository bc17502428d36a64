using NativeThreading.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>What others can see of a worker, for the age of waiting items and for the count of steals.</summary>
internal sealed unsafe partial class Worker
{
    private long _steals;

    /// <summary>How often this worker took from another one's queues. Written by the owner only.</summary>
    public long StealCount => Volatile.Read(ref _steals);

    /// <summary>Its thread, once that runs.</summary>
    public Thread? Thread => Volatile.Read(ref _thread);

    /// <summary>Whether it waits for a group, and has nothing of that to run itself.</summary>
    public bool WaitsForGroup => Volatile.Read(ref _waitsForGroup);

    /// <summary>What waits in both queues, for a debugger.</summary>
    public PendingItemView[] PendingItems() => [.. _deque.PendingItems(), .. _lane.PendingItems()];

    /// <summary>
    /// The ends of the LIFO queue. Its owner takes at the tail, at most one item for each that it completes, and one that
    /// it runs; while it completes nothing it has taken nothing.
    /// </summary>
    public QueueSight DequeSight => _deque.SightOf(taken: unchecked((int)CompletedCount));

    /// <summary>The ends of the FIFO queue.</summary>
    public QueueSight LaneSight => _lane.SightOf(taken: 0);

    /// <summary>Takes from another worker, and counts it.</summary>
    private bool TrySteal(Worker victim, bool localFirst = false)
    {
        if (victim.TryStealInto(this, localFirst) == 0)
        {
            return false;
        }

        Volatile.Write(ref _steals, _steals + 1);
        return true;
    }

    /// <summary>Takes the oldest item of another worker's lane, or else of its deque, and counts that.</summary>
    private bool TryTakeFrontOf(Worker victim, ref WorkItem item)
    {
        if (!victim._gate.TryRevoke())
        {
            return false;
        }

        bool taken = victim._lane.TryTakeOldest(ref item) || victim._deque.TryTakeOldest(ref item);
        victim._gate.EndRevocation();
        if (taken)
        {
            Volatile.Write(ref _steals, _steals + 1);
        }

        return taken;
    }
}
