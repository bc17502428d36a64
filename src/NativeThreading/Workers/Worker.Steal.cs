using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>Taking from other workers, and counting that.</summary>
internal sealed unsafe partial class Worker
{
    private long _steals;

    /// <summary>How often this worker took from another one's queues. Written by the owner only.</summary>
    public long StealCount => Volatile.Read(ref _steals);

    /// <summary>Moves items of another worker into the own queues, which are empty.</summary>
    private bool TrySteal(Worker victim, bool localFirst = false)
    {
        WorkerQueues.Stolen stolen = victim._queues.TryStealInto(ref _queues, _cost.MostPerBatch, localFirst);
        if (stolen.Count == 0)
        {
            return false;
        }

        Volatile.Write(ref _steals, _steals + 1);
        if (stolen.IsBatch)
        {
            BeginHolding();

            // What the victim keeps is newer: it is to look whether this is late. It may be counting its picks just now, and
            // overwrite this; it then looks as late as it would anyway.
            Volatile.Write(ref victim._pace.PicksLeft, 1);
        }

        return true;
    }

    /// <summary>Takes the item of another worker that has waited longest.</summary>
    private bool TryTakeFrontOf(Worker victim, ref WorkItem item)
    {
        bool taken = victim._queues.TryTakeFront(ref item);
        if (taken)
        {
            Volatile.Write(ref _steals, _steals + 1);
        }

        return taken;
    }
}
