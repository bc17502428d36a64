using System.Numerics;
using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>A run: what is simulated, on how many processors, and what a line costs there.</summary>
/// <param name="Shape">The work.</param>
/// <param name="Workers">Each on a processor of its own; threads outside have others.</param>
/// <param name="Transfer">The time that a line takes from another processor.</param>
/// <param name="IsAwake">The workers look for work from the beginning; else they are parked, and woken one by another.</param>
/// <param name="Seed">Of what varies: how long items take.</param>
internal sealed record Plan(ScaleShape Shape, int Workers, long Transfer = Costs.Transfer, bool IsAwake = false, int Seed = 1)
{
    public Outcome Simulate() => new SimulatedPool(this).Run();
}

/// <summary>What came of it.</summary>
/// <param name="Executed">Items.</param>
/// <param name="Nanoseconds">Until the last one had ended.</param>
/// <param name="Counts">As the library counts: what follows from the protocol alone, whichever thread is pre-empted.</param>
/// <param name="Lost">Nanoseconds of all processors together, by what they were lost to.</param>
internal sealed record Outcome(long Executed, long Nanoseconds, long[] Counts, long[] Lost)
{
    public double MillionsPerSecond => Executed * 1e3 / Nanoseconds;
}

/// <summary>What the agents of a run share, and the order of their steps: by time, then by the order of planning. No clock, no luck.</summary>
internal sealed class SimulatedPool
{
    private const long MostSteps = 1_000_000_000;

    private readonly PriorityQueue<Agent, (long Time, long Number)> _steps = new();
    private readonly Random _random;
    private readonly SimulatedWork _work;
    private long _planned;

    public SimulatedPool(Plan plan)
    {
        Transfer = plan.Transfer;
        _random = new Random(plan.Seed);
        _work = new SimulatedWork(this, plan.Shape);
        Workers = [.. Enumerable.Range(0, plan.Workers).Select(index => new SimulatedWorker(this, index, _work))];
        Agents = [.. Workers];
        int shards = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(plan.Workers, QueueTuning.MostShards));
        Shards = [.. Enumerable.Range(0, shards).Select(static _ => new SimulatedShard())];
        Signal = new SimulatedSignal(plan.IsAwake ? [] : Workers);
        Array.ForEach(plan.IsAwake ? Workers : [], worker => Plan(worker, 0));
    }

    public long Transfer { get; }
    public SimulatedWorker[] Workers { get; }
    public List<Agent> Agents { get; }
    public SimulatedShard[] Shards { get; }
    public SimulatedSignal Signal { get; }
    public long[] Counts { get; } = new long[Counters.Length];
    public long[] Lost { get; } = new long[Enum.GetValues<LineKind>().Length];

    public long Executed { get; set; }
    public long Finished { get; set; }

    /// <summary>Workers that hold batches.</summary>
    public int Holders { get; set; }

    public Line HoldersLine { get; } = new(LineKind.Holders);

    /// <summary>When the last process-wide barrier ends, or ended.</summary>
    public long BarrierEnd { get; set; }

    /// <summary>Adds a thread outside that enqueues these items.</summary>
    public SimulatedProducer AddProducer(IEnumerable<SimulatedItem> items)
    {
        var producer = new SimulatedProducer(this, Shards[Agents.Count & (Shards.Length - 1)], items);
        Agents.Add(producer);
        Plan(producer, 0);
        return producer;
    }

    public void Plan(Agent agent, long time) => _steps.Enqueue(agent, (time, _planned++));

    public void Count(Counted what) => Counts[(int)what]++;

    /// <summary>A time that varies by half, so that agents do not walk in step.</summary>
    public long Vary(long nanoseconds) => (nanoseconds / 2) + _random.NextInt64(nanoseconds);

    /// <summary>Whether any shard holds an item.</summary>
    public bool LooksNonEmpty(Agent agent) => Array.Exists(Shards, shard => !shard.LooksEmpty(agent));

    public Outcome Run()
    {
        _work.Begin();
        for (long step = 0; _steps.TryDequeue(out Agent? next, out (long Time, long) at); step++)
        {
            next.Run(at.Time);
            if (step > MostSteps)
            {
                throw new InvalidOperationException($"No end after {step:N0} steps, {Executed:N0} items executed.");
            }
        }

        return new Outcome(Executed, Finished, Counts, Lost);
    }
}
