using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.PoolTimers;

/// <summary>Timers of a pool's <see cref="TimeProvider"/> compared with <see cref="Timer"/>: to arm, to cancel, to change, to fire, and memory.</summary>
internal sealed class PoolTimersTable : Table
{
    private const int Operations = 200_000;
    private const int Many = 1_000_000;

    private readonly RowSelection _selection = new();

    public override string Name => "pool-timers";

    public override string Description => "Timers of a pool compared with System.Threading.Timer: arm and cancel, change, fire, bytes of a pending timer.";

    // Two threads arm and cancel at the same time.
    public override int RequiredProcessors => 2;

    public override bool IsInAll => false;

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "timers" });
        var native = new TimerRuns(pool.TimeProvider);
        var builtIn = new TimerRuns(null);
        Row[] rows =
        [
            Of("arm-cancel/pending=0", static runs => runs.ArmAndCancel(0, threads: 1, Operations)),
            Of("arm-cancel/pending=0/threads=2", static runs => runs.ArmAndCancel(0, threads: 2, Operations)),
            Of("arm-cancel/pending=1000000", static runs => runs.ArmAndCancel(Many, threads: 1, Operations)),
            Of("change/pending=1000", static runs => runs.Change(1_000, Operations)),
            Of("arm-all/1000000", static runs => runs.ArmAll(Many)),
            Of("cancel-all/1000000/in-order", static runs => runs.CancelAll(Many, shuffled: false)),
            Of("cancel-all/1000000/shuffled", static runs => runs.CancelAll(Many, shuffled: true)),
            Of("fire/10000", static runs => runs.Fire(10_000)),
            Of("bytes/1000000", static runs => runs.BytesOfEach(Many), "bytes"),
        ];
        return Interleaver.Measure(_selection.Of(rows, arguments), Schedule.For(options, seconds: 120, quickSeconds: 10), progress);

        Row Of(string name, Func<TimerRuns, Workloads.Sample> run, string unit = "ns") =>
            new($"pool-timers/{name}", unit, Better.Lower, () => run(native), () => run(builtIn))
            {
                Note = "Built-in: System.Threading.Timer. Without the objects of the caller.",
            };
    }
}
