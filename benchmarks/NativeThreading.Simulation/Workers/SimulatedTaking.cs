using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a worker takes from shards and from other workers. As InjectorFetch and Thief.</summary>
internal sealed class SimulatedTaking(SimulatedWorker worker)
{
    private const int VictimsPerStep = 8;

    private int _nextShard;
    private int _nextVictim;
    private int _victim;

    /// <summary>Moves a batch of the first shard that has one.</summary>
    public bool TryFetch()
    {
        int moved = 0;
        if (LockNext() is { } shard)
        {
            int most = Math.Min(worker.Order.MostPerBatch, QueueTuning.ShardBatch);
            int count = (Math.Min(2 * most, shard.Items.Count) + 1) / 2;
            for (; moved < count; moved++)
            {
                worker.Queues.Push(shard.Take(worker), local: false);
            }

            shard.Unlock(worker);
            worker.CountBatch(Counted.TransferSizes, moved);
            worker.Order.NoteMoved(moved);
        }

        return moved != 0;
    }

    /// <summary>Takes one item of the first shard that has one.</summary>
    public bool TryTakeNow(out SimulatedItem item)
    {
        SimulatedShard? shard = LockNext();
        item = default;
        if (shard is not null)
        {
            item = shard.Take(worker);
            shard.Unlock(worker);
        }

        return shard is not null;
    }

    public void BeginToSteal() => _victim = 0;

    /// <summary>Looks at some of the others. <see langword="null"/>: there are more.</summary>
    public bool? TrySteal()
    {
        SimulatedWorker[] workers = worker.Pool.Workers;
        for (int step = 0; step < VictimsPerStep && _victim < workers.Length; step++, _victim++)
        {
            SimulatedWorker victim = workers[(worker.Index + _nextVictim + _victim) % workers.Length];
            if (victim != worker)
            {
                victim.Queues.ReadEnds(worker);
            }

            if (victim == worker || victim.Queues.Pending == 0)
            {
                worker.Count(Counted.StealPass);
            }
            else if (worker.Scan.LookAt(victim) == Finding.Work && TryStealFrom(victim))
            {
                _nextVictim = (_nextVictim + _victim) % workers.Length;
                return true;
            }
        }

        return _victim < workers.Length ? null : false;
    }

    /// <summary>Takes the front of another worker's batch that is late.</summary>
    public bool TryTakeLate(out SimulatedItem item)
    {
        item = default;
        if (!worker.Order.DoOthersHold() || worker.Order.FindOlder() is not { } oldest || oldest.Queues.Ask(worker) is not { } mover)
        {
            return false;
        }

        SimulatedRing source = oldest.Queues.Lane.Count != 0 ? oldest.Queues.Lane : oldest.Queues.Deque;
        bool taken = source.Count != 0;
        if (taken)
        {
            worker.Queues.Push(SimulatedQueues.TakeOldest(source, mover), local: true, mover); // from there the thief takes it
            worker.Count(Counted.Steal);
        }

        oldest.Queues.End(worker, mover);
        return taken && worker.Queues.TryTake(fromLane: false, out item);
    }

    private SimulatedShard? LockNext()
    {
        SimulatedShard[] shards = worker.Pool.Shards;
        for (int i = 0; i < shards.Length; i++)
        {
            int at = (_nextShard + i) & (shards.Length - 1);
            if (shards[at].TryLock(worker))
            {
                _nextShard = at + 1;
                return shards[at];
            }
        }

        return null;
    }

    private bool TryStealFrom(SimulatedWorker victim)
    {
        if (victim.Queues.Ask(worker) is not { } mover)
        {
            return false;
        }

        bool local = victim.Queues.Lane.Count == 0;
        SimulatedRing source = local ? victim.Queues.Deque : victim.Queues.Lane;
        int count = Math.Min((source.Count + 1) / 2, local ? QueueTuning.LocalSteal : worker.Order.MostPerBatch);
        for (int i = 0; i < count; i++)
        {
            worker.Queues.Push(SimulatedQueues.TakeOldest(source, mover), local, mover);
        }

        victim.Queues.End(worker, mover);
        if (count == 0)
        {
            return false;
        }

        worker.Count(Counted.Steal);
        worker.Count(Counted.StolenItem, count);
        worker.CountBatch(Counted.StealSizes, count);
        worker.Order.Measure();
        if (!local && count > 1)
        {
            worker.Order.BeginBatch();
            victim.LookSoon();
        }

        return true;
    }
}
