namespace NativeThreading.Simulation;

/// <summary>The state word, the stack of announced workers, and the request that is outstanding; and which worker began to look last.</summary>
internal sealed class SimulatedSignal(SimulatedWorker[] idle)
{
    private readonly List<SimulatedWorker> _idle = [.. idle];
    private readonly Line _lastToLookLine = new(LineKind.Looking);
    private SimulatedWorker? _lastToLook;
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

        _isRequested = true;
        Word.Change(producer); // takes the lock of the stack
        SimulatedWorker chosen = _idle[^1];
        _idle.RemoveAt(_idle.Count - 1);
        Word.Change(producer);
        chosen.Choose(producer);
    }

    public void Acknowledge(Agent worker)
    {
        _isRequested = false;
        Word.Change(worker);
    }

    public void Linger(SimulatedWorker worker, bool begins)
    {
        IsLingering = begins;
        Word.Change(worker);
    }

    public void Announce(SimulatedWorker worker)
    {
        Word.Change(worker);
        Word.Change(worker);
        _idle.Add(worker);
    }

    /// <summary>Takes the announcement back. <see langword="false"/>: the worker was chosen before.</summary>
    public bool TryWithdraw(SimulatedWorker worker)
    {
        Word.Change(worker);
        Word.Change(worker);
        return _idle.Remove(worker);
    }

    public void BeginLooking(SimulatedWorker worker)
    {
        _lastToLookLine.Read(worker);
        if (_lastToLook != worker)
        {
            _lastToLookLine.Write(worker);
            _lastToLook = worker;
        }
    }

    private bool IsOneOnItsWay(Agent producer)
    {
        _lastToLookLine.Read(producer);
        return _lastToLook is { } last && last.SeemsLookingTo(producer);
    }
}

/// <summary>A thread outside: it enqueues items one after the other. At <see cref="Step.Wait"/> it sleeps until all before have ended.</summary>
internal sealed class SimulatedProducer(SimulatedPool pool, SimulatedShard shard, IEnumerable<SimulatedItem> items) : Agent(pool)
{
    private long _open;
    private long _waitsSince = -1;

    /// <summary>One of its items has ended, on the worker that calls.</summary>
    public void EndOne(Agent worker)
    {
        if (--_open == 0 && _waitsSince >= 0)
        {
            bool polls = worker.Now - _waitsSince < Costs.Linger;
            Pool.Plan(this, worker.Now + (polls ? Pool.Transfer : Costs.WakeLatency));
            worker.Charge(LineKind.Wake, polls ? 0 : Costs.Wake);
            _waitsSince = -1;
        }
    }

    protected override IEnumerator<bool> Live()
    {
        foreach (SimulatedItem item in items)
        {
            if (item.Step != Step.Wait)
            {
                _open++;
                Spend(Costs.Make);
                shard.Enqueue(this, item);
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
