using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>One worker's takes from the queues of others: whose, when, and how often it did. It is the request that stands at their gates.</summary>
internal sealed class Thief(Worker worker, PoolState state, QueueScan scan, ItemOrder order) : StealRequest
{
    private int _nextVictim;
    private long _steals;

    // What it asks for: written while no request stands.
    private Worker? _victim;
    private bool _isOne;
    private bool _localFirst;

    public override bool IsGiven => true;

    /// <summary>How often the worker took from another one's queues. Written by the owner only.</summary>
    public long StealCount => Volatile.Read(ref _steals);

    /// <summary>Moves items of any other worker that does not get on with them into the own queues, which are empty.</summary>
    public bool TrySteal()
    {
        Worker[] workers = state.Workers;
        long now = 0;
        for (int i = 0; i < workers.Length; i++)
        {
            // Each worker starts at another victim, and none twice in a row at the same.
            Worker victim = workers[(int)((uint)(worker.Index + _nextVictim + i) % (uint)workers.Length)];
            if (victim == worker || victim.PendingCount == 0)
            {
                Counters.Add(Counted.StealPass);
                continue;
            }

            now = now != 0 ? now : Stopwatch.GetTimestamp();
            if (scan.LookAt(victim, now) == Finding.Work && TryStealFrom(victim, now, localFirst: false))
            {
                _nextVictim += i;
                order.NoteStolen(now);
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Moves the items of a blocked worker, its local items first: the item that it waits for is usually among them, as
    /// where a task is queued and then waited for.
    /// </summary>
    public bool TryStealFromBlocked()
    {
        foreach (Worker other in state.Workers)
        {
            if (other != worker && other.Blocking.IsBlocked && other.PendingCount != 0 && TryStealFrom(other, Stopwatch.GetTimestamp(), localFirst: true))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Takes the front of the oldest batch that another worker holds: of all that are late, or of all.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryTakeOlder(long now, bool evenInTime, ref WorkItem item) =>
        order.FindOlder(now, evenInTime) is { } oldest && TryTakeFrontOf(oldest, now, ref item);

    /// <summary>Takes the oldest item of one other worker, each time of the next one, if that does not get on.</summary>
    public bool TryTakeFromNext(long now, ref WorkItem item)
    {
        Worker[] workers = state.Workers;
        Worker other = workers.Length == 0 ? worker : workers[(int)((uint)++_nextVictim % (uint)workers.Length)];

        // Only a worker that has completed nothing since the last scan: the others serve their queues themselves.
        return other != worker
            && other.PendingCount != 0
            && scan.StillFor(other, now) >= WorkerTuning.TimeBetweenLooks
            && TryTakeFrontOf(other, now, ref item);
    }

    /// <summary>
    /// Moves the items that it asked for; the victim or its own worker does it. A batch is marked here, before the thief knows of it: other
    /// workers must see that it is late, also while the thief has no processor.
    /// </summary>
    public override void TakeFrom(ref WorkerQueues victim)
    {
        if (_isOne)
        {
            Moved = victim.MoveFront(ref worker.Queues);
            return;
        }

        WorkerQueues.Stolen stolen = victim.MoveHalf(ref worker.Queues, order.MostPerBatch, _localFirst);
        if (stolen.IsBatch)
        {
            Chaos.Point("Thief.TakeFrom, moved");
            order.BeginHolding();

            // The victim keeps newer items: it must check whether this batch is overdue. It may be counting its picks just now, and
            // overwrite this; it then checks as late as it would anyway.
            Volatile.Write(ref _victim!.Pace.PicksLeft, 1);
        }

        Moved = stolen.Count;
    }

    private bool TryStealFrom(Worker victim, long now, bool localFirst)
    {
        (_isOne, _localFirst) = (false, localFirst);
        return victim.PendingCount != 0 && TryAsk(victim, now);
    }

    /// <summary>The item comes by way of the own deque, where other workers can take it from a thief that has no processor.</summary>
    private bool TryTakeFrontOf(Worker victim, long now, ref WorkItem item)
    {
        _isOne = true;
        return TryAsk(victim, now) && worker.Queues.TryTakeOf(lane: false, ref item);
    }

    private bool TryAsk(Worker victim, long now)
    {
        _victim = victim;
        bool stolen = victim.Queues.TryStealFor(this, now);
        _victim = null;
        if (stolen)
        {
            Counters.Add(Counted.Steal);
            Volatile.Write(ref _steals, _steals + 1);
        }

        return stolen;
    }
}
