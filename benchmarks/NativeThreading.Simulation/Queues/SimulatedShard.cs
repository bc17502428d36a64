namespace NativeThreading.Simulation;

/// <summary>A shard of the injector queue: tickets for producers; a lock, a head, and the slot behind it for consumers.</summary>
internal sealed class SimulatedShard
{
    private long _lockedUntil;

    public Queue<SimulatedItem> Items { get; } = [];

    public Line Tickets { get; } = new(LineKind.Tickets);

    public Line Lock { get; } = new(LineKind.ShardHead);

    public Line Head { get; } = new(LineKind.ShardHead);

    public Line Slot { get; } = new(LineKind.ShardHead);

    /// <summary>Three reads: the segment, the head, the slot there. The segment changes once in a thousand items, and is left out.</summary>
    public bool LooksEmpty(Agent agent)
    {
        agent.Pool.Counts[(int)Counted.ShardLook]++;
        Head.Read(agent);
        Slot.Read(agent);
        return Items.Count == 0;
    }

    public void Enqueue(Agent agent, in SimulatedItem item)
    {
        agent.Pool.Counts[(int)Counted.Ticket]++;
        Tickets.Change(agent);
        if (Items.Count == 0)
        {
            Slot.Write(agent); // where consumers poll
        }
        else
        {
            agent.Charge(LineKind.Items, agent.Costs.ItemTransfer); // a consumer has emptied the slot
        }

        agent.Spend(agent.Costs.Atomic); // the fence behind the publication
        Items.Enqueue(item);
    }

    /// <summary>Takes the lock; it is held for as long as the operation takes, from now until <see cref="Unlock"/>.</summary>
    public bool TryLock(Agent agent)
    {
        if (LooksEmpty(agent))
        {
            return false;
        }

        bool isFree = _lockedUntil <= agent.Now;
        agent.Pool.Counts[(int)(isFree ? Counted.ShardLock : Counted.ShardLockMiss)]++;
        Lock.Change(agent);
        return isFree;
    }

    public SimulatedItem Take(Agent agent)
    {
        agent.Pool.Counts[(int)Counted.ShardTake]++;
        Head.Write(agent);
        SimulatedItem item = Items.Dequeue();
        if (Items.Count == 0)
        {
            Slot.Write(agent);
        }
        else
        {
            agent.Charge(LineKind.Items, agent.Costs.ItemTransfer);
        }

        return item;
    }

    public void Unlock(Agent agent)
    {
        Lock.Write(agent);
        _lockedUntil = agent.Now;
    }
}
