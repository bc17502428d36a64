using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Metrics;

namespace NativeThreading.Tables.Metrics;

/// <summary>What an item costs while the pool is measured in some way, beside the same pool while it is not.</summary>
internal sealed class MetricsTable : Table
{
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
            ]),
        ];
        return Interleaver.Measure(rows, Schedule.For(options, seconds: 30, quickSeconds: 6), progress);
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
