using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>An item: the values from which a shape continues.</summary>
/// <param name="Kind">Which of the shape's steps it is.</param>
/// <param name="Number">Of its request; the leaves below a node.</param>
/// <param name="Left">How much is still to be done.</param>
internal readonly record struct SimulatedItem(int Kind, int Number = 0, int Left = 0);

/// <summary>A worker's deque or lane, and the lines of its two ends.</summary>
internal sealed class SimulatedRing : LinkedList<SimulatedItem>
{
    public Line Tail { get; } = new(LineKind.QueueEnds);
    public Line Head { get; } = new(LineKind.QueueEnds);

    /// <summary>The position of the oldest item, counted from the beginning.</summary>
    public long Position { get; private set; }

    public SimulatedItem TakeNewest()
    {
        SimulatedItem item = Last!.Value;
        RemoveLast();
        return item;
    }

    public SimulatedItem TakeOldest()
    {
        SimulatedItem item = First!.Value;
        RemoveFirst();
        Position++;
        return item;
    }
}

/// <summary>The queues of one worker and the gate that guards takes from them. As WorkerQueues and StealGate.</summary>
internal sealed class SimulatedQueues(SimulatedWorker owner)
{
    private readonly Line _busy = new(LineKind.Gate);
    private readonly Line _word = new(LineKind.Gate);
    private long _takenUntil; // by a request: it keeps other thieves out
    private long _enteredUntil; // by a thief: it keeps the owner out, too

    public SimulatedRing Deque { get; } = new();
    public SimulatedRing Lane { get; } = new();
    public int Pending => Deque.Count + Lane.Count;

    /// <summary>The owner publishes an item, or another worker that gives to the owner.</summary>
    public void Push(in SimulatedItem item, bool local, Agent mover)
    {
        if (mover == owner)
        {
            _word.Read(owner);
        }

        SimulatedRing ring = local ? Deque : Lane;
        ring.Tail.Write(mover);
        ring.AddLast(item);
    }

    /// <summary>The owner takes its newest local item, else the oldest of its lane.</summary>
    public bool TryTake(out SimulatedItem item)
    {
        owner.Count(Counted.GatePass);
        _busy.Write(owner);
        _word.Read(owner);
        if (_enteredUntil > owner.Now)
        {
            owner.Count(Counted.GateWait);
            owner.Charge(LineKind.Gate, _enteredUntil - owner.Now);
            _word.Read(owner);
        }

        bool taken = Pending != 0;
        Deque.Head.Read(owner);
        if (taken)
        {
            (Deque.Count != 0 ? Deque.Tail : Lane.Head).Write(owner);
        }
        else
        {
            Lane.Head.Read(owner);
        }

        item = !taken ? default : Deque.Count != 0 ? Deque.TakeNewest() : Lane.TakeOldest();
        _busy.Write(owner);
        return taken;
    }

    /// <summary>Returns the agent that moves the items: the owner, when it next takes something; or the thief, which makes an owner that runs a
    /// long item pass a barrier. <see langword="null"/>: another thief is there.</summary>
    public Agent? Ask(Agent thief)
    {
        thief.Count(Counted.StealTry);
        _word.Read(thief);
        if (_takenUntil > thief.Now)
        {
            thief.Count(Counted.StealMiss);
            return null;
        }

        _word.Change(thief);
        const long Patience = SpinTuning.AskPolls * Costs.Poll;
        if (!owner.IsAsleep && owner.Now - thief.Now <= Patience)
        {
            owner.Charge(LineKind.Gate, Math.Max(thief.Now - owner.Now, 0));
            owner.Count(Counted.Give);
            _word.Change(owner);
            return owner;
        }

        thief.Charge(LineKind.Gate, Patience);
        thief.PassBarrier(Counted.StealBarrier);
        _word.Change(thief);
        return thief;
    }

    /// <summary>The items have been moved. A thief that got some waits until the owner is done.</summary>
    public void End(Agent thief, Agent mover)
    {
        _word.Write(mover);
        _takenUntil = mover.Now;
        _enteredUntil = mover == owner ? _enteredUntil : mover.Now;
        thief.Charge(LineKind.Gate, Math.Max(mover.Now - thief.Now, 0));
        _word.Read(thief);
    }

    /// <summary>What a look at these queues reads.</summary>
    public void ReadEnds(Agent reader)
    {
        Deque.Tail.Read(reader);
        Deque.Head.Read(reader);
        Lane.Tail.Read(reader);
        Lane.Head.Read(reader);
    }
}

/// <summary>A shard of the injector queue: tickets for producers; a lock, a head, and the slot behind it for consumers.</summary>
internal sealed class SimulatedShard : Queue<SimulatedItem>
{
    private readonly Line _tickets = new(LineKind.Tickets);
    private readonly Line _lock = new(LineKind.ShardHead);
    private readonly Line _head = new(LineKind.ShardHead);
    private readonly Line _slot = new(LineKind.ShardHead);
    private long _lockedUntil;

    /// <summary>The segment changes once in a thousand items, and is left out.</summary>
    public bool LooksEmpty(Agent agent)
    {
        agent.Count(Counted.ShardLook);
        _head.Read(agent);
        _slot.Read(agent);
        return Count == 0;
    }

    public void Enqueue(Agent agent, in SimulatedItem item)
    {
        agent.Count(Counted.Ticket);
        _tickets.Change(agent);
        ChangeSlot(agent);
        agent.Fence(); // after the publication
        Enqueue(item);
    }

    /// <summary>Takes the lock, from now until <see cref="Unlock"/>.</summary>
    public bool TryLock(Agent agent)
    {
        if (LooksEmpty(agent))
        {
            return false;
        }

        bool isFree = _lockedUntil <= agent.Now;
        agent.Count(isFree ? Counted.ShardLock : Counted.ShardLockMiss);
        _lock.Change(agent);
        return isFree;
    }

    public SimulatedItem Take(Agent agent)
    {
        agent.Count(Counted.ShardTake);
        _head.Write(agent);
        SimulatedItem item = Dequeue();
        ChangeSlot(agent);
        return item;
    }

    public void Unlock(Agent agent)
    {
        _lock.Write(agent);
        _lockedUntil = agent.Now;
    }

    /// <summary>Consumers poll the first slot. Any other one comes from the other side.</summary>
    private void ChangeSlot(Agent agent)
    {
        if (Count == 0)
        {
            _slot.Write(agent);
        }
        else
        {
            agent.Charge(LineKind.Items, agent.Costs.ItemTransfer);
        }
    }
}
