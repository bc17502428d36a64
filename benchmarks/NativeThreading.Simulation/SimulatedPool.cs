using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What the agents of a run share, and the order of their steps: by time, then by the order of planning. No clock, no luck.</summary>
internal sealed class SimulatedPool
{
    private const long MostSteps = 200_000_000;

    private readonly PriorityQueue<(Agent Agent, int Plan), (long Time, long Number)> _steps = new();
    private readonly List<Agent> _agents = [];
    private ulong _random;
    private long _planned;

    public SimulatedPool(Plan plan)
    {
        Costs = plan.Costs;
        Mending = plan.Mending;
        _random = plan.Seed | 1;
        Workers = [.. Enumerable.Range(0, plan.Workers).Select(index => new SimulatedWorker(this, index))];
        _agents.AddRange(Workers);
        int shards = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Min(plan.Workers, QueueTuning.MostShards));
        Shards = [.. Enumerable.Range(0, shards).Select(static _ => new SimulatedShard())];
        Signal = new SimulatedSignal(this);
        Shape = Shape.Create(plan.Shape, this);
        if (plan.IsAwake)
        {
            Array.ForEach(Workers, Signal.Start);
        }
    }

    public Costs Costs { get; }

    public Mending Mending { get; }

    public SimulatedWorker[] Workers { get; }

    public SimulatedShard[] Shards { get; }

    public SimulatedSignal Signal { get; }

    public Shape Shape { get; }

    /// <summary>What was counted, as the library counts it.</summary>
    public long[] Counts { get; } = new long[Counters.Length];

    /// <summary>Time that was lost, by what it was lost to.</summary>
    public long[] Lost { get; } = new long[Enum.GetValues<LineKind>().Length];

    /// <summary>Who began to look last.</summary>
    public SimulatedWorker? LastToLook { get; set; }

    public Line LastToLookLine { get; } = new(LineKind.Looking);

    /// <summary>Workers that hold batches.</summary>
    public int Holders { get; set; }

    public Line HoldersLine { get; } = new(LineKind.Holders);

    /// <summary>The last process-wide barrier.</summary>
    public long BarrierBegin { get; set; } = -1;

    /// <summary>When it ends, or ended.</summary>
    public long BarrierEnd { get; set; }

    public long Executed { get; private set; }

    /// <summary>When the last item ended.</summary>
    public long Finished { get; private set; }

    public SimulatedProducer AddProducer(Func<SimulatedItem?> next)
    {
        var producer = new SimulatedProducer(this, _agents.Count, next);
        _agents.Add(producer);
        return _agents.Count <= Agent.Most ? producer : throw new InvalidOperationException("Too many agents.");
    }

    public void Schedule(Agent agent, long time, int plan) => _steps.Enqueue((agent, plan), (time, _planned++));

    /// <summary>A time that varies by half, so that agents do not walk in step.</summary>
    public long Vary(long nanoseconds)
    {
        _random ^= _random << 13;
        _random ^= _random >> 7;
        _random ^= _random << 17;
        return (nanoseconds / 2) + (long)(_random % (ulong)Math.Max(nanoseconds, 1));
    }

    public void Completed(long now)
    {
        Executed++;
        Finished = Math.Max(Finished, now);
    }

    /// <summary>Interrupts whoever runs beside the caller. Returns how many did.</summary>
    public int InterruptOthers(Agent caller)
    {
        int others = 0;
        foreach (Agent agent in _agents)
        {
            if (agent != caller && agent.IsPlanned && agent is not SimulatedWorker { IsAsleep: true })
            {
                agent.Interrupt();
                others++;
            }
        }

        return others;
    }

    /// <summary>Whether any shard holds an item.</summary>
    public bool LooksNonEmpty(Agent agent)
    {
        foreach (SimulatedShard shard in Shards)
        {
            if (!shard.LooksEmpty(agent))
            {
                return true;
            }
        }

        return false;
    }

    public void Run()
    {
        Shape.Begin();
        for (long step = 0; _steps.TryDequeue(out (Agent Agent, int Plan) next, out (long Time, long) at); step++)
        {
            if (next.Agent.Plan == next.Plan)
            {
                next.Agent.Run(at.Time);
            }

            if (step > MostSteps)
            {
                throw new InvalidOperationException($"{Shape}: no end after {step:N0} steps, {Executed:N0} items executed.");
            }
        }
    }
}
