using System.Numerics;
using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A run: what is simulated, on how many processors, and what things cost there.</summary>
/// <param name="Shape">The work.</param>
/// <param name="Workers">Each on a processor of its own; threads outside have others.</param>
/// <param name="Costs">Of the machine.</param>
/// <param name="IsAwake">The workers look for work from the beginning; else they are parked, and woken one by another.</param>
/// <param name="Seed">Of what varies: how long items take.</param>
internal sealed record Plan(ScaleShape Shape, int Workers, Costs Costs, bool IsAwake = false, int Seed = 1)
{
    public Outcome Simulate() => new SimulatedPool(this).Run();
}

/// <summary>What came of it.</summary>
/// <param name="Executed">Items.</param>
/// <param name="Nanoseconds">Until the last one had ended.</param>
/// <param name="Counts">As the library counts.</param>
/// <param name="Lost">Nanoseconds of all processors together, by what they were lost to.</param>
internal sealed record Outcome(long Executed, long Nanoseconds, long[] Counts, long[] Lost)
{
    public double MillionsPerSecond => Executed * 1e3 / Nanoseconds;
}

/// <summary>What the agents of a run share, and the order of their steps: by time, then by the order of planning. No clock, no luck.</summary>
internal sealed class SimulatedPool
{
    private const long MostSteps = 200_000_000;

    private readonly PriorityQueue<Agent, (long Time, long Number)> _steps = new();
    private readonly Random _random;
    private long _planned;
    private long _executed;
    private long _finished;

    public SimulatedPool(Plan plan)
    {
        Costs = plan.Costs;
        _random = new Random(plan.Seed);
        Workers = [.. Enumerable.Range(0, plan.Workers).Select(index => new SimulatedWorker(this, index))];
        Agents = [.. Workers];
        int shards = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(plan.Workers, QueueTuning.MostShards));
        Shards = [.. Enumerable.Range(0, shards).Select(static _ => new SimulatedShard())];
        Signal = new SimulatedSignal(this);
        Shape = Shape.Create(plan.Shape, this);
        if (plan.IsAwake)
        {
            Signal.StartAll();
        }
    }

    public Costs Costs { get; }
    public SimulatedWorker[] Workers { get; }
    public List<Agent> Agents { get; }
    public SimulatedShard[] Shards { get; }
    public SimulatedSignal Signal { get; }
    public Shape Shape { get; }
    public long[] Counts { get; } = new long[Counters.Length];
    public long[] Lost { get; } = new long[Enum.GetValues<LineKind>().Length];

    /// <summary>The worker that began to look last.</summary>
    public SimulatedWorker? LastToLook { get; set; }

    public Line LastToLookLine { get; } = new(LineKind.Looking);

    /// <summary>Workers that hold batches.</summary>
    public int Holders { get; set; }

    public Line HoldersLine { get; } = new(LineKind.Holders);

    /// <summary>When the last process-wide barrier ends, or ended.</summary>
    public long BarrierEnd { get; set; }

    /// <summary>Adds a thread outside that enqueues these items.</summary>
    public SimulatedProducer AddProducer(IEnumerable<SimulatedItem> items)
    {
        var producer = new SimulatedProducer(this, Agents.Count, items);
        Agents.Add(producer);
        producer.PlanAt(0);
        return producer;
    }

    public void Schedule(Agent agent, long time) => _steps.Enqueue(agent, (time, _planned++));

    /// <summary>A time that varies by half, so that agents do not walk in step.</summary>
    public long Vary(long nanoseconds) => (nanoseconds / 2) + _random.NextInt64(nanoseconds);

    public void Completed(long now)
    {
        _executed++;
        _finished = Math.Max(_finished, now);
    }

    /// <summary>Whether any shard holds an item.</summary>
    public bool LooksNonEmpty(Agent agent) => Array.Exists(Shards, shard => !shard.LooksEmpty(agent));

    public Outcome Run()
    {
        Shape.Begin();
        for (long step = 0; _steps.TryDequeue(out Agent? next, out (long Time, long) at); step++)
        {
            next.Run(at.Time);
            if (step > MostSteps)
            {
                throw new InvalidOperationException($"{Shape}: no end after {step:N0} steps, {_executed:N0} items executed.");
            }
        }

        return new Outcome(_executed, _finished, Counts, Lost);
    }
}
