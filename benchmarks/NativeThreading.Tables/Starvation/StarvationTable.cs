using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Blocked;

namespace NativeThreading.Tables.Starvation;

/// <summary>What happens when items block: how long others wait, and how the pool finds its way back.</summary>
internal sealed class StarvationTable : Table
{
    private static readonly TimeSpan Cap = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan QuickCap = TimeSpan.FromSeconds(2); // four times the slowest target
    private static readonly TimeSpan FullCap = TimeSpan.FromMinutes(15);

    private static readonly Scenario[] s_scenarios =
    [
        Scenario.Blocked(8, "", () => new EventBlocker()),
        Scenario.Blocked(32, "", () => new EventBlocker()),
        Scenario.Blocked(200, "", () => new EventBlocker()),
        Scenario.Blocked(32, "/sleep", () => new SleepBlocker()),
        Scenario.Blocked(32, "/lock", () => new LockBlocker()),
        Scenario.Blocked(32, "/socket", () => new SocketBlocker()),
        Scenario.Blocked(8, "/gc-storm", () => new EventBlocker(), storm: true),
        Scenario.Sleep(32, 100),
        Scenario.SyncOverAsync(200),
    ];

    private readonly Option<string?> _only = new("--only") { Description = "Only rows whose name begins with this.", HelpName = "ROW" };

    public override string Name => "starvation";

    public override string Description => "Blocked items: how long others wait behind them, false alarms, and the way back.";

    public override IEnumerable<Option> Options => [_only];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        string only = arguments.GetValue(_only) ?? "";
        int runs = options.Quick ? 3 : 7;
        var rows = new List<RowResult>();
        foreach (Scenario scenario in s_scenarios.Where(s => s.Name.StartsWith(only, StringComparison.Ordinal)))
        {
            progress.Show(scenario.Name, rows.Count, s_scenarios.Length + 2);
            rows.Add(MeasureScenario(scenario, runs, options.Full ? FullCap : options.Quick ? QuickCap : Cap));
        }

        if (Overload.Name.StartsWith(only, StringComparison.Ordinal))
        {
            progress.Show(Overload.Name, rows.Count, s_scenarios.Length + 2);
            rows.AddRange(MeasureOverload(TimeSpan.FromSeconds(options.Quick ? 3 : 60)));
        }

        if (Recovery.Name.StartsWith(only, StringComparison.Ordinal))
        {
            rows.Add(Alone(Recovery.Name, "threads", Statistics.Median([.. Enumerable.Range(0, runs).Select(_ => Recovery.Run())], null),
                "Threads above MinThreads one idle timeout and a second after 64 blocked items have ended."));
        }

        progress.Clear();
        return new TableResult(runs, rows);
    }

    /// <summary>In a process of its own.</summary>
    public static Sample Once(string name, TimeSpan time) => name == Overload.Name
        ? Overload.Run(time)
        : s_scenarios.Single(scenario => scenario.Name == name).Run(default(BuiltInPool), time);

    private static RowResult MeasureScenario(Scenario scenario, int runs, TimeSpan cap)
    {
        var samples = new List<Sample>();
        var floor = new List<Sample>();
        for (int run = -1; run < runs; run++)
        {
            using var pool = new OwnPool(new NativeThreadPoolOptions { Name = "starve" });
            Sample sample = scenario.Run(pool, Cap);
            if (sample.Value >= Cap.TotalMilliseconds)
            {
                throw new MeasurementException($"{scenario.Name}: nothing within {Cap.TotalSeconds} s.");
            }

            Sample? least = scenario.HasFloor ? scenario.Run(default(ThreadPerItem), Cap) : null;
            if (run >= 0) // the first one compiles
            {
                samples.Add(sample);
                floor.AddRange(least is { } value ? [value] : []);
            }
        }

        Sample peer = RunOnce.Again("starvation", scenario.Name, cap);
        bool capped = peer.Value >= cap.TotalMilliseconds;
        string note = $"Median of {runs} runs on new pools, after one for the compiler; the built-in pool once, in a new process."
            + (scenario.HasFloor ? " Floor: a new thread for each item, by turns with ours." : "");
        return new RowResult(
            scenario.Name, "ms", Better.Lower, Statistics.Median(samples, null), peer,
            capped ? $"{note} The built-in pool was stopped after {cap.TotalSeconds} s: --full lets it end." : note)
        {
            Floor = floor.Count != 0 ? Statistics.Median(floor, null) : null,
        };
    }

    private static IEnumerable<RowResult> MeasureOverload(TimeSpan duration)
    {
        string note = $"Threads injected in {duration.TotalSeconds} s of allocation-heavy items that never block; CPU time and switches per item.";
        Sample workstation = Run("0");
        Sample server = Run("1");
        Sample both = workstation with { Value = workstation.Value + server.Value };
        return
        [
            Alone(Overload.Name, "threads", both, note + " Both collectors, one after the other."),
            Alone($"{Overload.Name}/gc-workstation", "threads", workstation, note),
            Alone($"{Overload.Name}/gc-server", "threads", server, note),
        ];

        Sample Run(string serverGc) => RunOnce.Again("starvation", Overload.Name, duration, ("DOTNET_gcServer", serverGc));
    }

    private static RowResult Alone(string name, string unit, Sample native, string note) =>
        new(name, unit, Better.Lower, native, builtIn: null, note);
}
