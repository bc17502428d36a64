using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Metrics;

namespace NativeThreading.Tables.Metrics;

/// <summary>What an item costs while the pool is measured in some way, beside the same pool while it is not.</summary>
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
            ]),
        ];
        TableResult items = Interleaver.Measure(rows, Schedule.For(options, seconds: 30, quickSeconds: 6), progress);
        return items with { Rows = [.. items.Rows, Dashboard(options.Quick ? 1 : 5, TimeSpan.FromSeconds(options.Quick ? 5 : 20), progress)] };
    }

    /// <summary>Each run is a process of its own: processor time is known of whole processes.</summary>
    private static RowResult Dashboard(int runs, TimeSpan window, Progress progress)
    {
        List<Sample> viewed = [], unviewed = [];
        for (int run = 0; run < runs; run++)
        {
            progress.Show($"{ViewedApplication.Viewed}, run {run + 1} of {runs}", run, runs);
            viewed.Add(RunOnce.Again("metrics", ViewedApplication.Viewed, window, s_compiledOnce));
            unviewed.Add(RunOnce.Again("metrics", ViewedApplication.Unviewed, window, s_compiledOnce));
        }

        progress.Clear();
        return new RowResult(
            $"metrics/{ViewedApplication.Viewed}", "% of a processor", Better.Lower, Statistics.Median(viewed, decimals: null),
            new Dictionary<string, Sample> { [Unmeasured] = Statistics.Median(unviewed, decimals: null) },
            "An application with the live page, four blocked workers and an event loop, all idle: one viewer of the stream in the same process, beside nobody who looks. Compiled once and for all: else the compiler is most of the first minutes.")
        {
            NoRatio = "nobody looks in the other column: no peer",
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
