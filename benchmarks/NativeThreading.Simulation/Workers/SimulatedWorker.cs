using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A worker, which runs items until it finds none. As Worker.</summary>
internal sealed class SimulatedWorker : Agent
{
    private readonly SimulatedTaking _taking;
    private readonly SimulatedIdle _idle;
    private readonly Line _lookingLine = new(LineKind.Looking);
    private SimulatedItem _inHand;
    private int _picksLeft = 1;
    private int _picksToLook;
    private int _injectedLeft;

    public SimulatedWorker(SimulatedPool pool, int index)
        : base(pool, index)
    {
        Queues = new SimulatedQueues(this);
        Order = new SimulatedOrder(this);
        Scan = new SimulatedScan(this);
        _taking = new SimulatedTaking(this);
        _idle = new SimulatedIdle(this);
    }

    public Phase Phase { get; set; } = Phase.Parked;

    public SimulatedQueues Queues { get; }

    public SimulatedOrder Order { get; }

    public SimulatedScan Scan { get; }

    public Line CompletedLine { get; } = new(LineKind.QueueEnds);

    public long Completed { get; private set; }

    public bool IsAsleep => _idle.IsAsleep;

    private bool IsLooking { get; set; }

    /// <summary>Awake from the beginning.</summary>
    public void Start()
    {
        _idle.Start();
        PlanAt(0);
    }

    public void Choose(Agent producer) => _idle.Choose(producer);

    /// <summary>Before its next item.</summary>
    public void LookSoon() => _picksLeft = 1;

    public bool SeemsLookingTo(Agent reader)
    {
        _lookingLine.Read(reader);
        return IsLooking;
    }

    /// <summary>Publishes an item, and asks for help with it if the word says that there may be some.</summary>
    public void Push(in SimulatedItem item, bool local)
    {
        Count(local ? Counted.DequePush : Counted.LanePush);
        Spend(Costs.Make);
        Queues.Push(item, local);
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount == 0 || (Pool.Signal.Sentinel is not null && Queues.Pending <= 1))
        {
            return;
        }

        Count(Counted.HelpAsked);
        Fence();
        Pool.Signal.Request(this);
    }

    public void BeginLooking()
    {
        Count(Counted.LookBegin);
        _lookingLine.Write(this);
        IsLooking = true;
        Pool.LastToLookLine.Read(this);
        if (Pool.LastToLook != this && !(Pool.Mending.HasFlag(Mending.LookerStays) && Pool.LastToLook is { } last && last.SeemsLookingTo(this)))
        {
            Count(Counted.LastToLookChange);
            Pool.LastToLookLine.Write(this);
            Pool.LastToLook = this;
        }
    }

    public void EndLooking()
    {
        if (IsLooking)
        {
            Count(Counted.LookEnd);
            IsLooking = false;
            _lookingLine.Write(this);
            Fence();
        }
    }

    protected override void Step()
    {
        switch (Phase)
        {
            case Phase.Running:
                GoOnWithItem();
                break;
            case Phase.Next:
                RunNext();
                break;
            case Phase.First:
                RunFirst();
                break;
            case Phase.Refill:
                Refill();
                break;
            case Phase.Steal:
                Steal();
                break;
            case Phase.Linger:
                _idle.Linger();
                break;
            case Phase.Look:
                _idle.Look();
                break;
            case Phase.Parked:
                _idle.LookFromPark();
                break;
            default:
                _idle.WakeUp();
                break;
        }

        if (!IsAsleep)
        {
            PlanAt(Now);
        }
    }

    private void GoOnWithItem()
    {
        if (Pool.Shape.GoOn(this, ref _inHand))
        {
            Completed++;
            CompletedLine.Write(this);
            Pool.Completed(Now);
            Phase = Phase.Next;
        }
    }

    private void RunNext()
    {
        if (TryBeginInjected() || (--_picksLeft <= 0 && TryBeginFromLook()))
        {
            return;
        }

        if (Queues.TryTake(fromLane: false, out SimulatedItem item))
        {
            Begin(item);
            return;
        }

        BeginLooking();
        Phase = Phase.Refill;
    }

    private void RunFirst()
    {
        if (Queues.TryTake(fromLane: false, out SimulatedItem item))
        {
            EndLooking();
            BeginAfterLook(item);
        }
        else
        {
            Phase = Phase.Next;
        }
    }

    private void Refill()
    {
        if (_taking.TryTakeLate(out SimulatedItem item))
        {
            EndLooking();
            BeginAfterLook(item);
        }
        else if (_taking.TryFetch())
        {
            Phase = Phase.First;
        }
        else
        {
            Pool.Signal.Word.Read(this);
            _taking.BeginToSteal();
            Phase = Phase.Steal;
            if (!Scan.MayOthersHold(announced: 0))
            {
                _idle.Begin();
            }
        }
    }

    private void Steal()
    {
        switch (_taking.TrySteal())
        {
            case true:
                Phase = Phase.First;
                break;
            case false:
                _idle.Begin();
                break;
        }
    }

    /// <summary>A look at the clock; every so many items one at the other queues as well.</summary>
    private bool TryBeginFromLook()
    {
        Spend(Costs.Clock);
        bool atOthers = _picksToLook <= 0;
        if (atOthers)
        {
            _picksToLook = WorkerTuning.MostPicksPerLook;
            Order.EndHolding();
        }

        _picksLeft = Order.DoOthersHold() ? Math.Min(WorkerTuning.PicksPerCheck, _picksToLook) : _picksToLook;
        _picksToLook -= _picksLeft;
        if (_taking.TryTakeLate(out SimulatedItem item))
        {
            BeginAfterLook(item);
            return true;
        }

        if (!atOthers || Order.HeldCount > 0)
        {
            return false;
        }

        _injectedLeft = WorkerTuning.MostInjectedPerLook;
        if (!Queues.TryTake(fromLane: true, out item))
        {
            return TryBeginInjected();
        }

        BeginAfterLook(item);
        return true;
    }

    /// <summary>Behind a look: an item of the injector queue, unless the last one has queued local items.</summary>
    private bool TryBeginInjected()
    {
        if (_injectedLeft-- > 0 && Queues.Deque.Count == 0 && _taking.TryTakeNow(out SimulatedItem item))
        {
            BeginAfterLook(item);
            return true;
        }

        _injectedLeft = 0;
        return false;
    }

    private void BeginAfterLook(in SimulatedItem item)
    {
        Pool.Signal.Word.Read(this);
        if (Pool.Signal.IdleCount != 0 && Scan.SeesAny())
        {
            Fence();
            Pool.Signal.Request(this);
        }

        Begin(item);
    }

    /// <summary>Its effects come when its time is over, at the next step.</summary>
    private void Begin(in SimulatedItem item)
    {
        _inHand = item;
        Phase = Phase.Running;
        Spend(Pool.Vary(Costs.Item) + Pool.Shape.TimeOf(item));
    }
}
