namespace NativeThreading.Simulation;

/// <summary>The state word, the stack of announced workers, and the request that is outstanding.</summary>
internal sealed class SimulatedSignal(SimulatedPool pool)
{
    private readonly List<SimulatedWorker> _idle = [.. pool.Workers];
    private bool _isRequested;
    private SimulatedWorker? _lingerer;

    public Line Word { get; } = new(LineKind.Word);
    public SimulatedWorker? Sentinel { get; private set; }
    public int IdleCount => _idle.Count;

    /// <summary>Behind a publication and a fence: makes the request, unless a worker will look without it.</summary>
    public void Request(Agent producer)
    {
        Word.Read(producer);
        if (_isRequested || _lingerer is not null || IsOneOnItsWay(producer) || _idle.Count == 0)
        {
            return;
        }

        producer.Count(Counted.RequestWoke);
        _isRequested = true;
        Word.Change(producer);
        SimulatedWorker chosen = _idle[^1];
        Leave(chosen);
        Word.Change(producer);
        chosen.Choose(producer);
    }

    /// <summary>At the beginning: the worker is not parked.</summary>
    public void Start(SimulatedWorker worker)
    {
        _idle.Remove(worker);
        worker.Start();
    }

    public void Acknowledge(Agent worker)
    {
        worker.Count(Counted.WordWrite);
        _isRequested = false;
        Word.Change(worker);
    }

    public bool TryBeginLinger(SimulatedWorker worker)
    {
        bool isFirst = _lingerer is null;
        if (isFirst)
        {
            SetLingerer(worker, worker);
        }

        return isFirst;
    }

    public void EndLinger(SimulatedWorker worker) => SetLingerer(worker, null);

    public bool TryAnnounce(SimulatedWorker worker, bool asSentinel)
    {
        worker.Count(Counted.Announce);
        Word.Change(worker);
        if (asSentinel && Sentinel is not null)
        {
            return false;
        }

        Word.Change(worker);
        _idle.Add(worker);
        Sentinel = asSentinel ? worker : Sentinel;
        return true;
    }

    /// <summary>Takes the announcement back, or ends it after its time. <see langword="false"/>: the worker was chosen before.</summary>
    public bool TryWithdraw(SimulatedWorker worker, Counted what)
    {
        worker.Count(what);
        Word.Change(worker);
        Word.Change(worker);
        return Leave(worker);
    }

    private void SetLingerer(SimulatedWorker worker, SimulatedWorker? lingerer)
    {
        worker.Count(Counted.WordWrite);
        _lingerer = lingerer;
        Word.Change(worker);
    }

    private bool Leave(SimulatedWorker worker)
    {
        Sentinel = Sentinel == worker ? null : Sentinel;
        return _idle.Remove(worker);
    }

    private bool IsOneOnItsWay(Agent producer)
    {
        pool.LastToLookLine.Read(producer);
        return pool.LastToLook is { } last && last.SeemsLookingTo(producer);
    }
}

/// <summary>A thread outside: it enqueues items one after the other, and sleeps until all that it waits for have ended.</summary>
/// <param name="pool">The pool.</param>
/// <param name="index">Among the agents.</param>
/// <param name="next">The items, one after the other; none: it waits for those that are open.</param>
internal sealed class SimulatedProducer(SimulatedPool pool, int index, Func<SimulatedItem?> next) : Agent(pool, index)
{
    private long _open;
    private long _waitsSince = -1;

    /// <summary>One of its items has ended, on the worker that calls.</summary>
    public void EndOne(Agent worker)
    {
        if (--_open != 0 || _waitsSince < 0)
        {
            return;
        }

        bool polls = worker.Now - _waitsSince < Costs.Linger;
        PlanAt(worker.Now + (polls ? Costs.Transfer : Costs.WakeLatency));
        worker.Charge(LineKind.Wake, polls ? 0 : Costs.Wake);
        _waitsSince = -1;
    }

    protected override void Step()
    {
        if (next() is not { } item)
        {
            return;
        }

        if (item.Kind != Shape.Wait)
        {
            _open++;
            Spend(Costs.Make);
            Pool.Shards[Index & (Pool.Shards.Length - 1)].Enqueue(this, item);
            Pool.Signal.Word.Read(this);
            if (Pool.Signal.IdleCount != 0)
            {
                Pool.Signal.Request(this);
            }
        }
        else if (_open != 0)
        {
            _waitsSince = Now;
            return;
        }

        PlanAt(Now);
    }
}
