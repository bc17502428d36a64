using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Cohost;

namespace NativeThreading.Tables.Cohost;

/// <summary>A busy NativeThreadPool next to the busy built-in pool, and next to a second NativeThreadPool.</summary>
internal sealed class CohostTable : Table
{
    private const string Note =
        "Items of a fixed amount of computing that queue themselves again, four per processor and pool. Alone: the other side is idle.";

    public override string Name => "cohost";

    public override string Description => "Two busy pools in one process: throughput, latency and CPU time of both.";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        int runs = options.Quick ? 3 : 7;
        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 1 : 3);
        var alone = new List<(Side Ours, Side Other)>();
        var together = new List<(Side Ours, Side Other)>();
        var twins = new List<(Side Ours, Side Other)>();
        for (int run = 0; run < runs; run++)
        {
            progress.Show($"run {run + 1} of {runs}", run, runs);
            alone.Add((Run(window, Ours())[0], Run(window, default(BuiltInPool))[0]));
            together.Add(Pair(Run(window, Ours(), default(BuiltInPool))));
            twins.Add(Pair(Run(window, Ours(), Ours())));
        }

        progress.Clear();
        return new TableResult(runs,
        [
            Both("cohost/alone/throughput", "M items/s", Better.Higher, alone, static side => side.Throughput),
            Both("cohost/alone/latency-p99", "ms", Better.Lower, alone, static side => side.Latency),
            Both("cohost/throughput", "M items/s", Better.Higher, together, static side => side.Throughput),
            Both("cohost/latency-p99", "ms", Better.Lower, together, static side => side.Latency),
            Ratio("cohost/sum", alone.Zip(together, static (one, two) =>
                (two.Ours.Throughput + two.Other.Throughput) / Math.Max(one.Ours.Throughput, one.Other.Throughput)),
                together[0].Ours, "Throughput of both together, over that of the better one alone."),
            Ratio("cohost/least-share", alone.Zip(together, static (one, two) =>
                Math.Min(two.Ours.Throughput / one.Ours.Throughput, two.Other.Throughput / one.Other.Throughput)),
                together[0].Ours, "What the worse off of the two still gets of its throughput alone; half is fair."),
            Ratio("cohost/two-of-ours/sum", alone.Zip(twins, static (one, two) =>
                (two.Ours.Throughput + two.Other.Throughput) / one.Ours.Throughput),
                twins[0].Ours, "Two pools of NativeThreading together, divided by one alone."),
            Ratio("cohost/two-of-ours/least-share", alone.Zip(twins, static (one, two) =>
                Math.Min(two.Ours.Throughput, two.Other.Throughput) / one.Ours.Throughput),
                twins[0].Ours, "The share of the slower of two pools of NativeThreading in the throughput of one alone; half is fair."),
        ]);
    }

    /// <summary>What one pool did within the window. CPU time and switches are those of the process per item of both.</summary>
    private readonly record struct Side(double Throughput, double Latency, Sample Cost);

    private static (Side Ours, Side Other) Pair(Side[] sides) => (sides[0], sides[1]);

    private static OwnPool Ours() => new(new NativeThreadPoolOptions { Name = "starve" });

    private static Side[] Run(TimeSpan window, params IPool[] pools)
    {
        BusyPool[] busy = [.. pools.Select(pool => new BusyPool(pool))];
        Array.ForEach(busy, static pool => pool.Start());
        Thread.Sleep(window / 4);
        Array.ForEach(busy, static pool => pool.Reset());
        Meter meter = Meter.Start();
        Thread.Sleep(window);
        Reading reading = meter.Stop();
        long[] items = [.. busy.Select(static pool => pool.Items)];
        double[] latencies = [.. busy.Select(static pool => pool.Latency)];
        Array.ForEach(busy, static pool => pool.Stop());
        Thread.Sleep(TimeSpan.FromMilliseconds(50)); // the built-in pool cannot be waited for
        Array.ForEach(pools, static pool => pool.Dispose());
        if (items.Any(static count => count == 0))
        {
            throw new MeasurementException("cohost: a pool ran nothing at all.");
        }

        return [.. items.Zip(latencies, (count, latency) =>
            new Side(count / reading.Elapsed.TotalSeconds / 1e6, latency, reading.Per(items.Sum(), 0)))];
    }

    private static RowResult Both(
        string name, string unit, Better better, List<(Side Ours, Side Other)> runs, Func<Side, double> value) => new(
        name, unit, better,
        Statistics.Median([.. runs.Select(run => run.Ours.Cost with { Value = value(run.Ours) })], null),
        Statistics.Median([.. runs.Select(run => run.Other.Cost with { Value = value(run.Other) })], null),
        Note);

    private static RowResult Ratio(string name, IEnumerable<double> values, Side cost, string note) =>
        new(name, "x", Better.Higher, cost.Cost with { Value = Statistics.Median(values) }, builtIn: null, note);
}
