using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.RoundTrip;

namespace NativeThreading.Tables.RoundTrip;

/// <summary>Wall and CPU time of submitting one item from outside and waiting for it.</summary>
internal sealed class RoundTripTable : Table
{
    public override string Name => "round-trip";

    public override string Description => "Submit one item from outside the pool and wait for it, repeatedly: wall and CPU time.";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        Row[] rows =
        [
            Of("LifoSemaphore", () => new LifoSemaphoreWaiter()),
            Of("ManualResetEventSlim", () => new ManualResetEventSlimWaiter()),
            Of("SemaphoreSlim", () => new SemaphoreSlimWaiter()),
            Of("AutoResetEvent", () => new AutoResetEventWaiter()),
        ];
        TableResult walls = Interleaver.Measure(rows, Schedule.For(options, seconds: 30, quickSeconds: 10), progress);
        return walls with
        {
            Rows =
            [
                .. walls.Rows.SelectMany(row => (RowResult?[])[row, row.ByCpuTime(row.Name.Replace("/wall", "/cpu", StringComparison.Ordinal))])
                    .OfType<RowResult>(),
            ],
        };
    }

    private static Row Of(string waiter, Func<Waiter> create) =>
        new($"round-trip/waiter={waiter}/wall", "ns", Better.Lower,
            () => RoundTripRun.Measure<NativePool>(create), () => RoundTripRun.Measure<BuiltInPool>(create))
        {
            Note = "The submitter waits on the named object in both columns; CPU time is that of the whole process, the waiter's included.",
        };
}
