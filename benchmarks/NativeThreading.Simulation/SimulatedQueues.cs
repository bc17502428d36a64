using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A worker's deque or lane, and the lines of its two ends.</summary>
internal sealed class SimulatedRing : LinkedList<SimulatedItem>
{
    public Line Tail { get; } = new(LineKind.QueueEnds);
    public Line Head { get; } = new(LineKind.QueueEnds);

    /// <summary>The position of the oldest item, counted from the beginning.</summary>
    public long Position { get; private set; }

    public SimulatedItem Take(Agent agent, bool newest)
    {
        (newest ? Tail : Head).Write(agent);
        LinkedListNode<SimulatedItem> node = newest ? Last! : First!;
        Remove(node);
        Position += newest ? 0 : 1;
        return node.Value;
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
        owner.Pool.Count(Counted.GatePass);
        _busy.Write(owner);
        _word.Read(owner);
        if (_enteredUntil > owner.Now)
        {
            owner.Charge(LineKind.Gate, _enteredUntil - owner.Now);
            _word.Read(owner);
        }

        bool taken = Pending != 0;
        Deque.Head.Read(owner);
        if (!taken)
        {
            Lane.Head.Read(owner);
        }

        item = taken ? (Deque.Count != 0 ? Deque : Lane).Take(owner, newest: Deque.Count != 0) : default;
        _busy.Write(owner);
        return taken;
    }

    /// <summary>Returns the agent that moves the items: the owner, when it next takes something; or the thief, which makes an owner that runs a
    /// long item pass a barrier. <see langword="null"/>: another thief is there.</summary>
    public Agent? Ask(Agent thief)
    {
        _word.Read(thief);
        if (_takenUntil > thief.Now)
        {
            return null;
        }

        _word.Change(thief);
        const long Patience = SpinTuning.AskPolls * Costs.Poll;
        if (!owner.IsAsleep && owner.Now - thief.Now <= Patience)
        {
            owner.Charge(LineKind.Gate, Math.Max(thief.Now - owner.Now, 0));
            _word.Change(owner);
            return owner;
        }

        thief.Charge(LineKind.Gate, Patience);
        thief.PassBarrier();
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

    /// <summary>Whether there is more than a lone item, which is its owner's. Reads both ends of both queues.</summary>
    public bool HaveWork(Agent reader)
    {
        Deque.Tail.Read(reader);
        Deque.Head.Read(reader);
        Lane.Tail.Read(reader);
        Lane.Head.Read(reader);
        return Pending > 1;
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
        _head.Read(agent);
        _slot.Read(agent);
        return Count == 0;
    }

    public void Enqueue(Agent agent, in SimulatedItem item)
    {
        agent.Pool.Count(Counted.Ticket);
        _tickets.Change(agent);
        ChangeSlot(agent);
        agent.Spend(Costs.Atomic); // a fence after the publication
        Enqueue(item);
    }

    /// <summary>Moves half of the items, but at most so many, into the lane of a worker. Returns how many; 0 if it is empty or locked.</summary>
    public int MoveTo(SimulatedWorker worker, int most)
    {
        if (LooksEmpty(worker))
        {
            return 0;
        }

        bool isFree = _lockedUntil <= worker.Now;
        _lock.Change(worker);
        if (!isFree)
        {
            return 0;
        }

        worker.Pool.Count(Counted.ShardLock);
        int moved = Math.Min((Count + 1) / 2, Math.Min(most, QueueTuning.ShardBatch));
        for (int i = 0; i < moved; i++)
        {
            worker.Pool.Count(Counted.ShardTake);
            _head.Write(worker);
            SimulatedItem item = Dequeue();
            ChangeSlot(worker);
            worker.Queues.Push(item, local: false, worker);
        }

        _lock.Write(worker);
        _lockedUntil = worker.Now;
        return moved;
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
            agent.Carry();
        }
    }
}
