namespace NativeThreading.Simulation;

/// <summary>The state word, the stack of announced workers, and the request that is outstanding.</summary>
internal sealed class SimulatedSignal(SimulatedPool pool)
{
    private const int ItemsPerWake = 32;

    private readonly List<SimulatedWorker> _idle = [.. pool.Workers];

    public Line Word { get; } = new(LineKind.Word);

    public bool IsRequested { get; private set; }

    /// <summary>Who lingers.</summary>
    public SimulatedWorker? Lingerer { get; private set; }

    public SimulatedWorker? Sentinel { get; private set; }

    public int IdleCount => _idle.Count;

    /// <summary>Behind a publication and a fence: makes the request, unless somebody will look without being asked.</summary>
    public void Request(Agent producer)
    {
        Word.Read(producer);
        if (IsRequested || Lingerer is not null || IsOneOnItsWay(producer) || _idle.Count == 0)
        {
            return;
        }

        pool.Counts[(int)Counted.RequestWoke]++;
        IsRequested = true;
        Word.Change(producer);
        int wakes = pool.Mending.HasFlag(Mending.SeveralWakes) ? Math.Clamp(pool.Shards.Max(static shard => shard.Items.Count) / ItemsPerWake, 1, 4) : 1;
        for (; wakes > 0 && _idle.Count != 0; wakes--)
        {
            SimulatedWorker chosen = _idle[^1];
            Leave(chosen);
            Word.Change(producer);
            chosen.Choose(producer);
        }
    }

    /// <summary>At the beginning: the worker is not parked.</summary>
    public void Start(SimulatedWorker worker)
    {
        _idle.Remove(worker);
        worker.Start();
    }

    public void Acknowledge(Agent worker)
    {
        pool.Counts[(int)Counted.WordWrite]++;
        IsRequested = false;
        Word.Change(worker);
    }

    public bool TryBeginLinger(SimulatedWorker worker)
    {
        if (Lingerer is not null)
        {
            return false;
        }

        pool.Counts[(int)Counted.WordWrite]++;
        Lingerer = worker;
        Word.Change(worker);
        return true;
    }

    public void EndLinger(SimulatedWorker worker)
    {
        pool.Counts[(int)Counted.WordWrite]++;
        Lingerer = null;
        Word.Change(worker);
    }

    public bool TryAnnounce(SimulatedWorker worker, bool asSentinel)
    {
        pool.Counts[(int)Counted.Announce]++;
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
        pool.Counts[(int)what]++;
        Word.Change(worker);
        Word.Change(worker);
        bool isListed = _idle.Contains(worker);
        Leave(worker);
        return isListed;
    }

    private void Leave(SimulatedWorker worker)
    {
        _idle.Remove(worker);
        Sentinel = Sentinel == worker ? null : Sentinel;
    }

    private bool IsOneOnItsWay(Agent producer)
    {
        pool.LastToLookLine.Read(producer);
        return pool.LastToLook is { } last && last.SeemsLookingTo(producer);
    }
}
