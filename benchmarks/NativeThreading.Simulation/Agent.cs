namespace NativeThreading.Simulation;

/// <summary>A processor with its one thread: a worker or a thread outside. Each step of it is one operation of the protocol.</summary>
internal abstract class Agent(SimulatedPool pool, int index)
{
    /// <summary>Agents of a run, at most.</summary>
    public const int Most = 256;

    private long _interrupted;

    public int Index => index;

    public SimulatedPool Pool => pool;

    public Costs Costs => pool.Costs;

    /// <summary>Its own time, in nanoseconds.</summary>
    public long Now { get; private set; }

    /// <summary>Which of its planned steps counts: what was planned before is void once it has been planned anew.</summary>
    public int Plan { get; private set; }

    /// <summary>Whether it has a next step; one without sleeps until it is woken.</summary>
    public bool IsPlanned { get; private set; }

    /// <summary>One operation, from now on. It plans the next one, or sleeps.</summary>
    protected abstract void Step();

    public void Spend(long nanoseconds) => Now += nanoseconds;

    /// <summary>Time that is lost to others.</summary>
    public void Charge(LineKind kind, long nanoseconds)
    {
        pool.Lost[(int)kind] += nanoseconds;
        Now += nanoseconds;
    }

    /// <summary>Another one has made this processor pass a barrier: its next operation is that much later.</summary>
    public void Interrupt() => _interrupted += Costs.Interrupt;

    public void Run(long time)
    {
        Now = Math.Max(Now, time);
        IsPlanned = false;
        if (_interrupted != 0)
        {
            (long lost, _interrupted) = (_interrupted, 0);
            Charge(LineKind.Barrier, lost);
        }

        Step();
    }

    public void PlanAt(long time)
    {
        IsPlanned = true;
        pool.Schedule(this, time, ++Plan);
    }

    public void Count(Counted what, int times = 1) => pool.Counts[(int)what] += times;

    public void CountBatch(Counted sizes, int items) => pool.Counts[Counters.SizeOf(sizes, items)]++;

    /// <summary>A full fence.</summary>
    public void Fence() => Spend(Costs.Atomic);

    /// <summary>
    /// Makes all threads pass a barrier. Only one is under way in the whole system: others wait for their turn, as in Linux.
    /// </summary>
    public void PassBarrier(Counted reason)
    {
        if (pool.Mending.HasFlag(Mending.SharedBarriers) && pool.BarrierBegin >= Now)
        {
            Charge(LineKind.Barrier, pool.BarrierEnd - Now); // of one that begins later than this
            return;
        }

        Count(reason);
        pool.BarrierBegin = Math.Max(Now, pool.BarrierEnd);
        int others = pool.InterruptOthers(this);
        pool.BarrierEnd = pool.BarrierBegin + Costs.Barrier + (others == 0 ? 0 : Costs.BarrierBesideOthers + (others * Costs.BarrierPerOther));
        Charge(LineKind.Barrier, pool.BarrierEnd - Now);
    }
}
