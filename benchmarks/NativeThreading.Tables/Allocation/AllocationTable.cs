using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Allocation;

namespace NativeThreading.Tables.Allocation;

/// <summary>Bytes per item of each queueing form, from a worker and from outside, with and without an AsyncLocal set.</summary>
internal sealed class AllocationTable : Table
{
    private static readonly string[] s_flowing =
    [
        "QueueUserWorkItem(callback)",
        "QueueUserWorkItem(callback,object)",
        "QueueUserWorkItem<class>(global)",
        "QueueUserWorkItem<class>(local)",
        "QueueUserWorkItem<struct>(local)",
    ];

    private static readonly string[] s_unsafe =
    [
        "UnsafeQueueUserWorkItem(callback,object)",
        "UnsafeQueueUserWorkItem<class>(global)",
        "UnsafeQueueUserWorkItem<class>(local)",
        "UnsafeQueueUserWorkItem(item,global)",
        "UnsafeQueueUserWorkItem(item,local)",
    ];

    public override string Name => "allocation";

    public override string Description => "Managed bytes allocated per queued item, by queueing form.";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        List<Row> rows =
        [
            .. s_flowing.Concat(s_unsafe).Select(f => FromWorker(f, asyncLocal: false)),
            .. s_flowing.Select(f => FromWorker(f, asyncLocal: true)),
            .. s_flowing.Concat(s_unsafe).Where(IsForOutside).Select(f => FromOutside(f, asyncLocal: false)),
            .. s_flowing.Where(IsForOutside).Select(f => FromOutside(f, asyncLocal: true)),
        ];
        return Interleaver.Measure(rows, Schedule.For(options, seconds: 30, quickSeconds: 10), progress);
    }

    /// <summary>Outside the pool there is no local queue: those forms would repeat the global ones.</summary>
    private static bool IsForOutside(string form) => !form.Contains("local", StringComparison.Ordinal);

    private static Row FromWorker(string form, bool asyncLocal) => Of(
        "worker", form, asyncLocal,
        () => AllocationRun.FromWorker<NativePool>(form, asyncLocal),
        () => AllocationRun.FromWorker<BuiltInPool>(form, asyncLocal));

    private static Row FromOutside(string form, bool asyncLocal) => Of(
        "outside", form, asyncLocal,
        () => AllocationRun.FromOutside<NativePool>(form, asyncLocal),
        () => AllocationRun.FromOutside<BuiltInPool>(form, asyncLocal));

    private static Row Of(string from, string form, bool asyncLocal, Func<Sample> native, Func<Sample> builtIn) =>
        new($"allocation/from={from}/{form}{(asyncLocal ? "/async-local" : "")}", "B", Better.Lower, native, builtIn)
        {
            Decimals = 2,
        };
}
