using System.CommandLine;
using System.Globalization;
using NativeThreading.Simulation;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Scale;

namespace NativeThreading.Tables.Scale;

/// <summary>Where throughput bends: the simulation with 2 to 128 workers, each on a processor of its own. The same numbers on every machine and in
/// every run. A little changes much where many meet, so each number is the median of several seeds.</summary>
internal sealed class SimulateTable : Table
{
    // Doubling the workers brings less than a quarter more.
    private const double Bend = 1.25;

    private static readonly int[] s_workers = [2, 4, 8, 16, 32, 64, 128];
    private static readonly int[] s_seeds = [1, 3, 5, 7, 9];
    private static readonly long[] s_transfers = [30, Costs.Transfer, 200];

    public override string Name => "simulate";

    public override string Description => "Where throughput bends with 2 to 128 workers: a simulation of the protocols, no measurement.";

    public override bool IsInAll => false;

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        var rows = new List<RowResult>();
        int[] seeds = options.Quick ? s_seeds[..1] : s_seeds;
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            progress.Show(ScalePlan.NameOf(shape), (int)shape, ScalePlan.Shapes.Length);
            string name = $"simulate/{ScalePlan.NameOf(shape)}";
            foreach (long transfer in s_transfers)
            {
                Outcome[] outcomes = Simulate(shape, transfer, seeds);
                string of = string.Create(CultureInfo.InvariantCulture, $"{name}/transfer={transfer}");
                rows.Add(Throughput(of, outcomes));
                rows.Add(new RowResult($"{of}/bend", "workers", Better.Higher, new Sample(BendOf(outcomes), null, null), builtIn: null, note: null));
                if (transfer == Costs.Transfer)
                {
                    rows.Add(Throughput($"{name}/from-sleep", Simulate(shape, transfer, seeds, isAwake: false)));
                    rows.AddRange(Enum.GetValues<LineKind>().Select(kind => Loss(name, kind, outcomes)));
                }
            }
        }

        progress.Clear();
        return new TableResult(seeds.Length, rows);
    }

    public override void Print(TableResult result) => WorkersPrinter.Print(result.Rows);

    private static Outcome[] Simulate(ScaleShape shape, long transfer, int[] seeds, bool isAwake = true) =>
        [.. s_workers.Select(workers => Median([.. seeds.AsParallel().Select(seed => new Plan(shape, workers, transfer, isAwake, seed).Simulate())]))];

    private static Outcome Median(Outcome[] outcomes) => outcomes.OrderBy(static outcome => outcome.Nanoseconds).ElementAt(outcomes.Length / 2);

    private static RowResult Throughput(string name, Outcome[] outcomes) =>
        Row(name, "M items/s", Better.Higher, outcomes, static outcome => outcome.MillionsPerSecond);

    /// <summary>Time of all processors together, for each item.</summary>
    private static RowResult Loss(string name, LineKind kind, Outcome[] outcomes) =>
        Row($"{name}/lost-{kind.ToString().ToLowerInvariant()}", "ns per item", Better.Lower, outcomes, outcome => (double)outcome.Lost[(int)kind] / outcome.Executed);

    private static double BendOf(Outcome[] outcomes)
    {
        int at = 0;
        while (at < outcomes.Length - 1 && outcomes[at + 1].MillionsPerSecond >= Bend * outcomes[at].MillionsPerSecond)
        {
            at++;
        }

        return s_workers[at];
    }

    private static RowResult Row(string name, string unit, Better better, Outcome[] outcomes, Func<Outcome, double> value) =>
        new(name, unit, better, new Sample(value(outcomes[0]), null, null), builtIn: null, note: null)
        {
            ByWorkers = [.. s_workers.Zip(outcomes.Select(value))],
        };
}
