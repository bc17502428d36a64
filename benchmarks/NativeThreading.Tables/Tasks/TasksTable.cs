using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Tasks;

namespace NativeThreading.Tables.Tasks;

/// <summary>The sets of ThreadPoolTaskTesting, in addition to the two of the quwi table, through the pool's scheduler.</summary>
internal sealed class TasksTable : Table
{
    private const int Calls = 128 * 512; // divided by every depth times every parallelism

    private static readonly (string Name, Func<int, int, Task<long>> Native, Func<int, int, Task<long>> BuiltIn)[] s_sets =
    [
        ("sub-task-chain-return", TaskSets<NativePool>.SubTaskChainReturn, TaskSets<BuiltInPool>.SubTaskChainReturn),
        ("sub-task-chain-awaited", TaskSets<NativePool>.SubTaskChainAwaited, TaskSets<BuiltInPool>.SubTaskChainAwaited),
        ("sub-task-fan-out-awaited", TaskSets<NativePool>.SubTaskFanOutAwaited, TaskSets<BuiltInPool>.SubTaskFanOutAwaited),
        ("continuation-chain", TaskSets<NativePool>.ContinuationChain, TaskSets<BuiltInPool>.ContinuationChain),
        ("continuation-fan-out", TaskSets<NativePool>.ContinuationFanOut, TaskSets<BuiltInPool>.ContinuationFanOut),
        ("continuation-fan-out-when-all", TaskSets<NativePool>.ContinuationFanOutWhenAll, TaskSets<BuiltInPool>.ContinuationFanOutWhenAll),
        ("yield-chain", TaskSets<NativePool>.YieldChain, TaskSets<BuiltInPool>.YieldChain),
        ("async-chain-awaited", TaskSets<NativePool>.AsyncChainAwaited, TaskSets<BuiltInPool>.AsyncChainAwaited),
        ("async-chain-return", TaskSets<NativePool>.AsyncChainReturn, TaskSets<BuiltInPool>.AsyncChainReturn),
    ];

    private static readonly (string Name, Func<int, int, Task<long>> Native, Func<int, int, Task<long>> BuiltIn)[] s_controls =
    [
        ("sync-chain-awaited", ControlSets<NativePool>.SyncChainAwaited, ControlSets<BuiltInPool>.SyncChainAwaited),
        ("cached-task-chain-awaited", ControlSets<NativePool>.CachedTaskChainAwaited, ControlSets<BuiltInPool>.CachedTaskChainAwaited),
        ("cached-task-chain-checked", ControlSets<NativePool>.CachedTaskChainChecked, ControlSets<BuiltInPool>.CachedTaskChainChecked),
        ("cached-task-chain-return", ControlSets<NativePool>.CachedTaskChainReturn, ControlSets<BuiltInPool>.CachedTaskChainReturn),
    ];

    private readonly RowSelection _selection = new();

    public override string Name => "tasks";

    public override string Description => "Task chains, fan-outs, continuations, yields and async chains of ThreadPoolTaskTesting, by depth and parallelism.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        Row[] rows =
        [
            .. from set in s_sets from cell in Cells(options.Full) select Of(set.Name, set.Native, set.BuiltIn, cell.Depth, cell.Parallelism, Calls),
            .. from control in s_controls from depth in Depths(options.Full) select Of(control.Name, control.Native, control.BuiltIn, depth, 1, 32 * Calls),
        ];
        TableResult result = Interleaver.Measure(_selection.Of(rows, arguments), Schedule.For(options, seconds: 150, quickSeconds: 10), progress);
        return result with { Rows = [.. result.Rows.Select(row => IsControl(row) && row.Peers.Count != 0 ? WithoutAdvantage(row) : row)] };
    }

    // 1: a task per call. 2: the shortest chains and fans, where ours is slowest. 16: a usual length. 512: long ones.
    private static int[] Depths(bool full) => full ? [1, 2, 16, 64, 512] : [1, 2, 16, 512];

    /// <summary>Parallelism 1: a chain alone; 2: one per CPU of a small machine; 16: more than there are workers. The short forms have
    /// depth 2 at the two degrees that are worst there, so that a quick look shows the worst rows, too.</summary>
    private static IEnumerable<(int Depth, int Parallelism)> Cells(bool full) =>
        from depth in Depths(full)
        from degree in full ? (int[])[1, 2, 16, 64, 128] : depth == 2 ? [1, 2] : [1, 16]
        select (depth, degree);

    private static Row Of(
        string set, Func<int, int, Task<long>> native, Func<int, int, Task<long>> builtIn, int depth, int parallelism, int calls) =>
        new($"{set}/depth={depth}/parallelism={parallelism}", "M calls/s", Better.Higher,
            () => TasksRun.Measure<NativePool>(set, native, depth, parallelism, calls),
            () => TasksRun.Measure<BuiltInPool>(set, builtIn, depth, parallelism, calls));

    private static bool IsControl(RowResult row) => s_controls.Any(c => row.Name.StartsWith(c.Name + "/", StringComparison.Ordinal));

    private static RowResult WithoutAdvantage(RowResult row) => row with
    {
        NoRatio = string.Create(CultureInfo.InvariantCulture, $"control: never touches a pool; ratio {row.Native.Value / row.Peers[Contender.ThreadPool].Value:F2}"),
    };
}
