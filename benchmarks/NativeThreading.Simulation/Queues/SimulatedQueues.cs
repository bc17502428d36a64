using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

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

    /// <summary>The owner publishes an item.</summary>
    public void Push(in SimulatedItem item, bool local)
    {
        _word.Read(owner);
        Push(item, local, owner);
    }

    /// <summary>The owner publishes an item, or another worker that gives to the owner.</summary>
    public void Push(in SimulatedItem item, bool local, Agent mover)
    {
        SimulatedRing ring = local ? Deque : Lane;
        ring.Tail.Write(mover);
        ring.Push(item);
    }

    /// <summary>The owner takes its newest local item, else the oldest of its lane.</summary>
    public bool TryTake(bool fromLane, out SimulatedItem item)
    {
        Enter();
        bool taken = true;
        Deque.Head.Read(owner);
        if (!fromLane && Deque.Count != 0)
        {
            Deque.Tail.Write(owner);
            item = Deque.TakeNewest();
        }
        else if (Lane.Count != 0)
        {
            Lane.Head.Write(owner);
            item = Lane.TakeOldest();
        }
        else
        {
            Lane.Head.Read(owner);
            item = default;
            taken = false;
        }

        _busy.Write(owner);
        return taken;
    }

    /// <summary>
    /// Returns who moves the items: the owner, when it next takes something; or the thief, which makes an owner that runs a long item pass a
    /// barrier. <see langword="null"/>: another thief is there.
    /// </summary>
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
        long patience = SpinTuning.AskPolls * thief.Costs.Poll;
        long answer = owner.IsAsleep ? long.MaxValue : Math.Max(owner.Now - thief.Now, 0);
        if (answer <= patience)
        {
            owner.Charge(LineKind.Gate, Math.Max(thief.Now - owner.Now, 0));
            owner.Count(Counted.Give);
            _word.Change(owner);
            return owner;
        }

        thief.Charge(LineKind.Gate, patience);
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

    /// <summary>The oldest item of one of the queues is taken, by the thief inside or by the owner for it.</summary>
    public static SimulatedItem TakeOldest(SimulatedRing ring, Agent mover)
    {
        ring.Head.Write(mover);
        mover.Charge(LineKind.Items, mover.Costs.ItemTransfer); // out of the one ring, or into the other

        return ring.TakeOldest();
    }

    /// <summary>What a look at these queues reads.</summary>
    public void ReadEnds(Agent reader)
    {
        Deque.Tail.Read(reader);
        Deque.Head.Read(reader);
        Lane.Tail.Read(reader);
        Lane.Head.Read(reader);
    }

    private void Enter()
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
    }
}
