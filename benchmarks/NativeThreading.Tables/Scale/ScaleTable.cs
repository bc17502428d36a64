using System.CommandLine;
using NativeThreading.Instrumentation;
using NativeThreading.Simulation;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Scale;

namespace NativeThreading.Tables.Scale;

/// <summary>What limits a pool on many processors, counted on the few that there are, for each item: with 1 to 64 workers. Next to two workers stands
/// what the simulation counts, where that follows from the protocol alone.</summary>
internal sealed class ScaleTable : Table
{
    private const string Simulated = "simulation";
    private const int SimulatedWorkers = 2;

    private static readonly int[] s_workers = [1, 2, 8, 32, 64];

    private readonly Option<string[]> _shapes = new("--shapes") { Description = "Only these shapes.", AllowMultipleArgumentsPerToken = true };

    public ScaleTable() => _shapes.AcceptOnlyFromAmong([.. ScalePlan.Shapes.Select(ScalePlan.NameOf)]);

    public override string Name => "scale";

    public override string Description => "What limits a pool on many processors, counted for each item. Needs -p:Counters=true.";

    public override bool IsInAll => false;

    public override IEnumerable<Option> Options => [_shapes];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (!Counters.IsOn)
        {
            throw new MeasurementException(RowCounters.Missing);
        }

        string[] chosen = arguments.GetValue(_shapes) ?? [];
        ScaleShape[] shapes = [.. ScalePlan.Shapes.Where(shape => chosen.Length == 0 || chosen.Contains(ScalePlan.NameOf(shape)))];
        int runs = options.Quick ? 2 : 5;
        var counted = new Dictionary<(ScaleShape Shape, int Workers), double[]>();
        foreach (int workers in s_workers)
        {
            using OwnPool pool = ScaleRun.CreatePool(workers);
            foreach (ScaleShape shape in shapes)
            {
                progress.Show($"{workers} workers, {ScalePlan.NameOf(shape)}", counted.Count, s_workers.Length * shapes.Length);
                counted.Add((shape, workers), Count(pool, shape, workers, runs));
            }
        }

        progress.Clear();
        return new TableResult(runs, [.. shapes.SelectMany(shape => Rows(shape, workers => counted[(shape, workers)]))]);
    }

    public override void Print(TableResult result) => WorkersPrinter.Print(result.Rows);

    private static double[] Count(OwnPool pool, ScaleShape shape, int workers, int runs)
    {
        ScaleRun.Measure(pool, shape, workers); // compiled and grown
        long[] counts = new long[Counters.Length];
        double seconds = 0;
        for (int run = 0; run < runs; run++)
        {
            (long[] counted, TimeSpan elapsed) = ScaleRun.Measure(pool, shape, workers);
            counts = [.. counts.Zip(counted, static (a, b) => a + b)];
            seconds += elapsed.TotalSeconds;
        }

        long items = runs * ScalePlan.Items(shape, workers);
        return Values(items / seconds / 1e6, counts, items);
    }

    /// <summary>A row's value each: throughput, then what was counted for each item.</summary>
    private static double[] Values(double throughput, long[] counts, long items) =>
        [throughput, .. Workloads.Scale.Measure.All.Select(measure => measure.Of(counts) / items)];

    private static IEnumerable<RowResult> Rows(ScaleShape shape, Func<int, double[]> counted)
    {
        Outcome outcome = new Plan(shape, SimulatedWorkers).Simulate();
        double[] simulated = Values(outcome.MillionsPerSecond, outcome.Counts, ScalePlan.Items(shape, SimulatedWorkers));
        for (int i = 0; i < simulated.Length; i++)
        {
            int at = i;
            (string name, string unit, Better better) = i == 0 ? ("throughput", "M items/s", Better.Higher) : (Workloads.Scale.Measure.All[i - 1].Name, "per item", Better.Lower);
            yield return new RowResult(
                $"scale/{ScalePlan.NameOf(shape)}/{name}", unit, better, new Sample(counted(SimulatedWorkers)[i], null, null),
                simulated[i] == 0 ? [] : new Dictionary<string, Sample> { [Simulated] = new(simulated[i], null, null) }, Note: null)
            {
                NoRatio = "counted, not compared",
                ByWorkers = [.. s_workers.Select(workers => (workers, counted(workers)[at]))],
            };
        }
    }
}
