namespace NativeThreading.Simulation;

/// <summary>What things cost, in nanoseconds.</summary>
internal static class Costs
{
    public const long Transfer = 100; // a line from another processor: 30 to 60 within a cluster of cores, 100 across one socket, 200 across two
    public const long Hit = 1; // an access to a line that the processor has
    public const long Atomic = 8; // an interlocked instruction or a fence, beyond its access
    public const long Item = 30; // an empty item, beyond what its queue costs
    public const long Make = 4; // making an item
    public const long Wake = 6_000; // for the waking thread
    public const long WakeLatency = 18_000;
    public const long Barrier = 300;
    public const long BarrierBesideOthers = 1_500; // in addition, while other threads run
    public const long BarrierPerOther = 50;
    public const long Interrupt = 1_000; // what a barrier costs each of them
    public const long Poll = 40;
    public const long Clock = 20; // a look at it
    public const long Linger = 25_000; // the longest time for which a thread polls
}

/// <summary>Whose line it is: what waiting is charged to.</summary>
internal enum LineKind
{
    Word,
    Looking, // the flags of workers that look, and which of them began last
    Tickets,
    ShardHead, // the lock, the head and the first slot of a shard
    QueueEnds, // of a worker's deque and lane
    Gate,
    Holders, // the count of workers that hold batches, and their marks
    Items, // what an item carries from one processor to another
    Barrier, // no line, as the next one
    Wake,
}

/// <summary>A cache line: which processors have a copy, which one may write it, and until when it is on its way. Transfers of one line follow each
/// other. A line that several read is copied for all of them at the same time.</summary>
internal sealed class Line(LineKind kind)
{
    private readonly HashSet<Agent> _copies = [];
    private Agent? _writer;
    private long _freeAt;

    public void Read(Agent agent)
    {
        if (_copies.Contains(agent))
        {
            agent.Spend(Costs.Hit);
            return;
        }

        Move(agent, agent.Pool.Transfer, _writer is null ? Costs.Hit : agent.Pool.Transfer);
        _writer = null;
    }

    public void Write(Agent agent, long extra = 0)
    {
        if (_writer == agent)
        {
            agent.Spend(Costs.Hit + extra);
            return;
        }

        _copies.Clear();
        Move(agent, agent.Pool.Transfer + extra, agent.Pool.Transfer + extra);
        _writer = agent;
    }

    /// <summary>An interlocked change.</summary>
    public void Change(Agent agent) => Write(agent, Costs.Atomic);

    private void Move(Agent agent, long cost, long occupied)
    {
        long begin = Math.Max(agent.Now, _freeAt);
        _freeAt = begin + occupied;
        _copies.Add(agent);
        agent.Charge(kind, begin + cost - agent.Now);
    }
}

/// <summary>A processor with its one thread: a worker or a thread outside. Each step of it is one operation of the protocol.</summary>
internal abstract class Agent(SimulatedPool pool)
{
    protected const bool Goes = true;
    protected const bool Sleeps = false;

    private IEnumerator<bool>? _life;
    private long _interrupted;

    public SimulatedPool Pool => pool;

    /// <summary>Its own time.</summary>
    public long Now { get; private set; }

    /// <summary>Parked, or woken and on its way.</summary>
    public bool IsAsleep { get; private set; } = true;

    /// <summary>All it does. After each operation it continues, or sleeps until it is planned.</summary>
    protected abstract IEnumerator<bool> Live();

    public void Spend(long nanoseconds) => Now += nanoseconds;

    /// <summary>Time that is lost to others.</summary>
    public void Charge(LineKind kind, long nanoseconds)
    {
        pool.Lost[(int)kind] += nanoseconds;
        Now += nanoseconds;
    }

    /// <summary>An item of 24 bytes out of lines of 64 that another processor has written, or will read.</summary>
    public void Carry() => Charge(LineKind.Items, pool.Transfer * 24 / 64);

    /// <summary>The next step.</summary>
    public void Run(long time)
    {
        Now = Math.Max(Now, time);
        Charge(LineKind.Barrier, _interrupted);
        _interrupted = 0;
        _life ??= Live();
        IsAsleep = false;
        IsAsleep = !_life.MoveNext() || _life.Current == Sleeps;
        if (!IsAsleep)
        {
            pool.Plan(this, Now);
        }
    }

    /// <summary>Makes all threads pass a barrier. There is one at a time in the whole system: others wait for their turn, as in Linux.</summary>
    public void PassBarrier()
    {
        int others = 0;
        foreach (Agent agent in pool.Agents.Where(agent => agent != this && !agent.IsAsleep))
        {
            agent._interrupted += Costs.Interrupt;
            others++;
        }

        pool.BarrierEnd = Math.Max(Now, pool.BarrierEnd) + Costs.Barrier + (others * Costs.BarrierPerOther) + (others == 0 ? 0 : Costs.BarrierBesideOthers);
        Charge(LineKind.Barrier, pool.BarrierEnd - Now);
    }
}
