using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Metrics;

namespace NativeThreading.Tables.Metrics;

/// <summary>The cost of an item while the pool is measured in some way, compared with the same pool without measuring.</summary>
internal sealed class MetricsTable : Table
{
    /// <summary>By default the runtime compiles what serves the page several times, for minutes. That is once in a process, and no part of
    /// what a viewer costs.</summary>
    private static readonly (string, string) s_compiledOnce = ("DOTNET_TieredCompilation", "0");

    private const string Unmeasured = "unmeasured";

    public override string Name => "metrics";

    public override string Description => "Time per queued item while the pool's metrics are listened to, or queue times measured, and while not.";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        Row[] rows =
        [
            .. Enum.GetValues<QueueFrom>().SelectMany(from => (Row[])
            [
                Of(from, "nobody", Measuring.Nothing, "both columns are the same: what differs is noise"),
                Of(from, "meter", Measuring.Meter, $"a listener asks every {MeteredRun.Interval.TotalMilliseconds} ms, thousands of times as often as an exporter"),
                Of(from, "queue.duration/nobody", Measuring.QueueDurationUnheard, "MeasureQueueDuration, and no listener"),
                Of(from, "queue.duration", Measuring.QueueDuration, "MeasureQueueDuration, and a listener to the histogram"),
                Of(from, "observer", Measuring.Observed, "a ThreadObserver: each item is recorded while it runs"),
                Of(from, "always", Measuring.Recorded, "RecordItems = Always, and no observer"),
            ]),
        ];
        TableResult items = Interleaver.Measure(rows, Schedule.For(options, seconds: 30, quickSeconds: 6), progress);
        int runs = options.Quick ? 2 : 5;
        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 10 : 20);
        RowResult mapped = Dashboard(ViewedApplication.Mapped, ViewedApplication.Unmapped, "nothing is mapped in the other column: no peer",
            $"An application with {ViewedApplication.Pools} pools, all idle but four blocked workers, that has the live page without a viewer, compared with the same one without the page.", runs, window, progress);
        RowResult viewed = Dashboard(ViewedApplication.Viewed, ViewedApplication.Unviewed, "the other column has no viewer: no peer",
            "An application with the live page, four blocked workers and an event loop, all idle: one viewer of the stream in the same process, compared with no viewer. Compiled once and for all: else the compiler is most of the first minutes.", runs, window, progress);
        var memory = new RowResult(
            $"metrics/{HistoryMemory.Name}", "kB", Better.Lower, RunOnce.Again("metrics", HistoryMemory.Name, window), builtIn: null,
            $"By how much the memory in use has grown after {HistoryMemory.Samples} samples of {ViewedApplication.Pools} pools, which fill the history.");
        return items with { Rows = [.. items.Rows, mapped, viewed, memory] };
    }

    /// <summary>Each run is a process of its own: processor time is known of whole processes.</summary>
    private static RowResult Dashboard(string run, string other, string noRatio, string note, int runs, TimeSpan window, Progress progress)
    {
        List<Sample> ours = [], others = [];
        for (int i = 0; i < runs; i++)
        {
            progress.Show($"{run}, run {i + 1} of {runs}", i, runs);
            ours.Add(RunOnce.Again("metrics", run, window, s_compiledOnce));
            others.Add(RunOnce.Again("metrics", other, window, s_compiledOnce));
        }

        progress.Clear();
        return new RowResult(
            $"metrics/{run}", "% of a processor", Better.Lower, Statistics.Median(ours, decimals: null),
            new Dictionary<string, Sample> { [Unmeasured] = Statistics.Median(others, decimals: null) },
            note)
        {
            NoRatio = noRatio,
        };
    }

    private static Row Of(QueueFrom from, string what, Measuring measuring, string note) =>
        new($"metrics/from={(from == QueueFrom.Outside ? "outside" : from == QueueFrom.Worker ? "worker/global" : "worker/local")}/{what}", "ns", Better.Lower,
            new Contender(Contender.Native, () => MeteredRun.Measure(from, measuring)),
            new Contender(Unmeasured, () => MeteredRun.Measure(from, Measuring.Nothing)))
        {
            NoRatio = "the same pool in both columns: no peer",
            Note = note,
        };
}
