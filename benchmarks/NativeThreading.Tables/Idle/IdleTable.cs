using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Idle;

namespace NativeThreading.Tables.Idle;

/// <summary>What little work costs, and what no work costs.</summary>
internal sealed class IdleTable : Table
{
    private const string FutexWorker = "futex-worker";

    private static readonly int[] s_rates = [1_000, 100];

    private readonly Option<string?> _only = new("--only") { Description = "Only rows whose name begins with this.", HelpName = "ROW" };

    public override string Name => "idle";

    public override string Description => "CPU time per item of a trickle, context switches of idle pools, workers used at low load.";

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_only];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        string only = arguments.GetValue(_only) ?? "";
        int runs = options.Quick ? 1 : 5;
        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 2 : 10);
        string peer = PeerPrograms.Built.Find("futex_worker") ?? throw new MeasurementException(PeerPrograms.Built.Missing ?? "futex_worker was not built.");
        var rows = new List<RowResult>();
        foreach (int rate in s_rates.Where(rate => Trickle.Name(rate).StartsWith(only, StringComparison.Ordinal)))
        {
            TimeSpan trickle = TimeSpan.FromSeconds(!options.Quick ? 8 : rate < 1_000 ? 3 : 2);
            rows.Add(MeasureTrickle(rate, trickle, runs, options.OursAlone ? null : peer, progress));
        }

        if (QuietPools.Name.StartsWith(only, StringComparison.Ordinal))
        {
            progress.Show(QuietPools.Name, 2, 4);
            rows.Add(new RowResult(QuietPools.Name, "switches", Better.Lower, Again(QuietPools.Name, window), builtIn: null,
                $"Ten pools, two event loops and the monitor, all their threads together, over {window.TotalSeconds} s."));
        }

        if (LowLoad.Name.StartsWith(only, StringComparison.Ordinal))
        {
            progress.Show(LowLoad.Name, 3, 4);
            rows.Add(new RowResult(LowLoad.Name, "threads", Better.Lower, Again(LowLoad.Name, window), Again($"{LowLoad.Name}/{Contender.ThreadPool}", window),
                $"Distinct threads that ran {window.TotalSeconds * 1_000:N0} items, one a millisecond, each after the one before has ended."));
        }

        progress.Clear();
        return new TableResult(runs, rows);
    }

    /// <summary>In a process of its own.</summary>
    public static Sample Once(string name, TimeSpan time) => name switch
    {
        "trickle/1000" => Trickle.Run<NativePool>(1_000, time),
        "trickle/100" => Trickle.Run<NativePool>(100, time),
        "trickle/1000/threadpool" => Trickle.Run<BuiltInPool>(1_000, time),
        "trickle/100/threadpool" => Trickle.Run<BuiltInPool>(100, time),
        LowLoad.Name => LowLoad.Run<NativePool>(time),
        $"{LowLoad.Name}/{Contender.ThreadPool}" => LowLoad.Run<BuiltInPool>(time),
        QuietPools.Name => QuietPools.Run(time),
        _ => throw new MeasurementException($"no run is named {name}."),
    };

    private static RowResult MeasureTrickle(int rate, TimeSpan time, int runs, string? peer, Progress progress)
    {
        string name = Trickle.Name(rate);
        List<Sample> ours = [], builtIn = [], futex = [];
        for (int run = 0; run < runs; run++)
        {
            progress.Show($"{name}, run {run + 1} of {runs}", Array.IndexOf(s_rates, rate), 4);
            ours.Add(Again(name, time));
            if (peer is null)
            {
                continue;
            }

            builtIn.Add(Again($"{name}/{Contender.ThreadPool}", time));
            futex.Add(RunOnce.Program(peer, [$"{rate}", RunOnce.Seconds(time)], time));
        }

        return new RowResult(
            name, "us CPU per item", Better.Lower, Statistics.Median(ours, null),
            peer is null ? new Dictionary<string, Sample>() : new Dictionary<string, Sample>
            {
                [Contender.ThreadPool] = Statistics.Median(builtIn, null),
                [FutexWorker] = Statistics.Median(futex, null),
            },
            $"Above a producer that queues nothing; each run is a process with nothing else in it. {FutexWorker} is one C thread on a futex, the least a hand-over can cost.");
    }

    private static Sample Again(string name, TimeSpan time) => RunOnce.Again("idle", name, time);
}
