namespace NativeThreading.Simulation;

/// <summary>The state word, the stack of announced workers, and the request that is outstanding.</summary>
internal sealed class SimulatedSignal(SimulatedPool pool)
{
    private readonly List<SimulatedWorker> _idle = [.. pool.Workers];
    private bool _isRequested;

    /// <summary>A worker lingers.</summary>
    public bool IsLingering { get; private set; }

    public Line Word { get; } = new(LineKind.Word);
    public int IdleCount => _idle.Count;

    /// <summary>After a publication and a fence: makes the request, unless a worker will scan without it.</summary>
    public void Request(Agent producer)
    {
        Word.Read(producer);
        if (_isRequested || IsLingering || IsOneOnItsWay(producer) || _idle.Count == 0)
        {
            return;
        }

        producer.Count(Counted.RequestWoke);
        _isRequested = true;
        Word.Change(producer);
        SimulatedWorker chosen = _idle[^1];
        _idle.RemoveAt(_idle.Count - 1);
        Word.Change(producer);
        chosen.Choose(producer);
    }

    /// <summary>At the beginning: no worker is parked.</summary>
    public void StartAll()
    {
        _idle.ForEach(static worker => worker.PlanAt(0));
        _idle.Clear();
    }

    public void Acknowledge(Agent worker)
    {
        worker.Count(Counted.WordWrite);
        _isRequested = false;
        Word.Change(worker);
    }

    public void Linger(SimulatedWorker worker, bool begins)
    {
        worker.Count(Counted.WordWrite);
        IsLingering = begins;
        Word.Change(worker);
    }

    public void Announce(SimulatedWorker worker)
    {
        worker.Count(Counted.Announce);
        Word.Change(worker);
        Word.Change(worker);
        _idle.Add(worker);
    }

    /// <summary>Takes the announcement back. <see langword="false"/>: the worker was chosen before.</summary>
    public bool TryWithdraw(SimulatedWorker worker)
    {
        worker.Count(Counted.Withdraw);
        Word.Change(worker);
        Word.Change(worker);
        return _idle.Remove(worker);
    }

    private bool IsOneOnItsWay(Agent producer)
    {
        pool.LastToLookLine.Read(producer);
        return pool.LastToLook is { } last && last.SeemsLookingTo(producer);
    }
}

/// <summary>A thread outside: it enqueues items one after the other. At <see cref="Shape.Wait"/> it sleeps until all before have ended.</summary>
internal sealed class SimulatedProducer(SimulatedPool pool, int index, IEnumerable<SimulatedItem> items) : Agent(pool, index)
{
    private long _open;
    private long _waitsSince = -1;

    /// <summary>One of its items has ended, on the worker that calls.</summary>
    public void EndOne(Agent worker)
    {
        if (--_open == 0 && _waitsSince >= 0)
        {
            bool polls = worker.Now - _waitsSince < Costs.Linger;
            PlanAt(worker.Now + (polls ? Costs.Transfer : Costs.WakeLatency));
            worker.Charge(LineKind.Wake, polls ? 0 : Costs.Wake);
            _waitsSince = -1;
        }
    }

    protected override IEnumerator<bool> Live()
    {
        foreach (SimulatedItem item in items)
        {
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

                yield return Goes;
            }
            else if (_open != 0)
            {
                _waitsSince = Now;
                yield return Sleeps;
            }
        }
    }
}
