using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Blocked;
using NativeThreading.Workloads.Idle;

namespace NativeThreading.Tables.Core;

/// <summary>The cost of the managed core compared with the native one, in separate processes and interleaved runs.</summary>
internal sealed class CoreTable : Table
{
    private const string Variable = "NATIVETHREADING_CORE";
    private const string Native = "native";
    private const string Managed = "managed";
    private const string NativeCore = "native-core"; // as a peer: "native" is ours in a report

    private static readonly Scenario[] s_scenarios =
    [
        Scenario.Blocked(32, "", static () => new EventBlocker()),
        Scenario.Blocked(32, "/socket", static () => new SocketBlocker()),
    ];

    private readonly Option<string?> _only = new("--only") { Description = "Only rows whose name begins with this.", HelpName = "ROW" };

    public override string Name => "core";

    public override string Description => "The managed core compared with the native one: throughput, recovery, a trickle, silence.";

    public override bool IsInAll => false;

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_only];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        string only = arguments.GetValue(_only) ?? "";
        int runs = options.Quick ? 3 : 7;
        List<RowResult> rows = [];
        if (QuwiMeans.Queues.Any(queue => queue.StartsWith(only, StringComparison.Ordinal)))
        {
            rows.AddRange(MeasureQuwi(runs, progress).Where(row => row.Name.StartsWith(only, StringComparison.Ordinal)));
        }

        foreach (Scenario scenario in s_scenarios.Where(scenario => scenario.Name.StartsWith(only, StringComparison.Ordinal)))
        {
            rows.Add(Beside(scenario.Name, "ms", TimeSpan.FromSeconds(10), runs, progress,
                "Until an item runs behind that many blocked ones, on a new pool, after one for the compiler. /socket blocks in native code, where the "
                + "managed core sees no more than that the whole process is quiet."));
        }

        if (Trickle.Name(1_000).StartsWith(only, StringComparison.Ordinal))
        {
            rows.Add(Beside(Trickle.Name(1_000), "us CPU per item", TimeSpan.FromSeconds(options.Quick ? 2 : 8), runs, progress,
                "Above a producer that queues nothing."));
        }

        if (QuietPools.Name.StartsWith(only, StringComparison.Ordinal))
        {
            TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 2 : 10);
            rows.Add(Beside(QuietPools.Name, "switches", window, 1, progress,
                $"Ten pools, two event loops and the monitor, all their threads together, over {window.TotalSeconds} s."));
        }

        progress.Clear();
        return new TableResult(runs, rows);
    }

    public override void Print(TableResult result)
    {
        base.Print(result);
        Console.WriteLine(Terminal.Dim("ours: the managed core. A process each, by turns; medians."));
    }

    /// <summary>In a process of its own.</summary>
    public static Sample Once(string name, TimeSpan time)
    {
        string expected = Environment.GetEnvironmentVariable(Variable) ?? "";
        if (!string.Equals(NativeThreadPool.Core.ToString(), expected, StringComparison.OrdinalIgnoreCase))
        {
            throw new MeasurementException($"{name}: runs on the {NativeThreadPool.Core} core instead of the {expected} one.");
        }

        return name == QuietPools.Name ? QuietPools.Run(time)
            : name == Trickle.Name(1_000) ? Trickle.Run<NativePool>(1_000, time)
            : Heal(s_scenarios.Single(scenario => scenario.Name == name), time);
    }

    private static Sample Heal(Scenario scenario, TimeSpan cap)
    {
        Sample sample = default;
        for (int i = 0; i < 2; i++) // the first one compiles
        {
            using var pool = new OwnPool(new NativeThreadPoolOptions { Name = "starve" });
            sample = scenario.Run(pool, cap);
        }

        return sample;
    }

    private static RowResult Beside(string name, string unit, TimeSpan time, int runs, Progress progress, string note)
    {
        List<Sample> managed = [], native = [];
        for (int run = 0; run < runs; run++)
        {
            progress.Show($"{name}, run {run + 1} of {runs}", run, runs);
            foreach (string core in InTurn(run))
            {
                (core == Managed ? managed : native).Add(RunOnce.Again("core", name, time, (Variable, core)));
            }
        }

        return Row(name, unit, Better.Lower, Statistics.Median(managed, null), Statistics.Median(native, null), note);
    }

    private static IEnumerable<RowResult> MeasureQuwi(int runs, Progress progress)
    {
        var managed = new QuwiMeans();
        var native = new QuwiMeans();
        for (int run = 0; run < runs; run++)
        {
            progress.Show($"quwi, run {run + 1} of {runs}", run, runs);
            foreach (string core in InTurn(run))
            {
                (core == Managed ? managed : native).Add(TableProcess.Run(["quwi", "--quick"], (Variable, core)));
            }
        }

        return QuwiMeans.Queues.Select(queue => Row(queue, "M items/s", Better.Higher, managed.Median(queue), native.Median(queue),
            $"Geometric mean over the cells of the table quwi, {runs} times with --quick; CPU time is that of the whole process for an item."));
    }

    /// <summary>Who goes first alternates.</summary>
    private static string[] InTurn(int run) => run % 2 == 0 ? [Native, Managed] : [Managed, Native];

    private static RowResult Row(string name, string unit, Better better, Sample managed, Sample native, string note) =>
        new(name, unit, better, managed, new Dictionary<string, Sample> { [NativeCore] = native }, note);
}
