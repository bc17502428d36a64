using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>The queues of one worker and the gate that guards takes from them. As WorkerQueues and OwnerGate.</summary>
internal sealed class SimulatedQueues(SimulatedWorker owner)
{
    private readonly Line _busy = new(LineKind.Gate);
    private readonly Line _revocation = new(LineKind.Gate);
    private long _heldUntil; // by a thief

    public SimulatedRing Deque { get; } = new();

    public SimulatedRing Lane { get; } = new();

    public int Pending => Deque.Count + Lane.Count;

    /// <summary>The owner publishes an item.</summary>
    public void Push(in SimulatedItem item, bool local)
    {
        SimulatedRing ring = local ? Deque : Lane;
        _revocation.Read(owner);
        ring.Tail.Write(owner);
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

    /// <summary>The owner answers when it next takes something; one that runs a long item is passed by a barrier.</summary>
    public bool TryEnter(Agent thief)
    {
        thief.Count(Counted.StealTry);
        _revocation.Read(thief);
        if (_heldUntil > thief.Now)
        {
            thief.Count(Counted.StealMiss);
            return false;
        }

        _revocation.Change(thief);
        long patience = SpinTuning.AcknowledgementPolls * thief.Costs.Poll;
        long answer = owner.IsAsleep ? long.MaxValue : Math.Max(owner.Now - thief.Now, 0);
        if (answer <= patience)
        {
            thief.Charge(LineKind.Gate, answer + (2 * thief.Costs.Transfer));
        }
        else
        {
            thief.Charge(LineKind.Gate, patience);
            thief.PassBarrier(Counted.StealBarrier);
        }

        return true;
    }

    public void Leave(Agent thief)
    {
        _revocation.Write(thief);
        _heldUntil = thief.Now;
    }

    /// <summary>A thief inside takes the oldest item of one of the queues.</summary>
    public static SimulatedItem TakeOldest(SimulatedRing ring, Agent thief)
    {
        ring.Head.Write(thief);
        thief.Charge(LineKind.Items, thief.Costs.ItemTransfer);
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
        _revocation.Read(owner);
        if (_heldUntil > owner.Now)
        {
            owner.Count(Counted.GateYield);
            owner.Charge(LineKind.Gate, _heldUntil - owner.Now);
            _revocation.Read(owner);
            _busy.Write(owner);
        }
    }
}
