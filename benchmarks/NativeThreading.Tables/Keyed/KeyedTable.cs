using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Keyed;

namespace NativeThreading.Tables.Keyed;

/// <summary>Items with a key: those of one key in order and one at a time.</summary>
internal sealed class KeyedTable : Table
{
    private readonly RowSelection _selection = new();

    public override string Name => "keyed";

    public override string Description => "Order per key: KeyedQueue and Sequencer, compared with an ActionBlock or a ConcurrentExclusiveSchedulerPair for each key.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        int items = options.Quick ? 200_000 : 1_000_000;
        Row[] rows =
        [
            Of("sequencer/keys=1", () => KeyedRun.Sequencer(items), 1, items),
            .. from keys in (int[])[1, 100, 10_000, items]
               select Of($"queue/keys={(keys == items ? "1000000" : keys)}", () => KeyedRun.Queue(keys, items / keys), keys, items / keys),
            .. from keys in (int[])[1, 100, 10_000]
               select new Row(
                   $"run/keys={keys}",
                   "ns",
                   Better.Lower,
                   new Contender(Contender.Native, () => KeyedRun.Tasks(keys, items / keys)),
                   new Contender("scheduler-pair", () => KeyedRun.Pairs(keys, items / keys))),
        ];
        return Interleaver.Measure(_selection.Of(rows, arguments), Schedule.For(options, seconds: 60, quickSeconds: 10), progress);
    }

    private static Row Of(string name, Func<Sample> native, int keys, int each) => new(
        name,
        "ns",
        Better.Lower,
        new Contender(Contender.Native, native),
        new Contender("action-block", () => KeyedRun.Blocks(keys, each)),
        new Contender("scheduler-pair", () => KeyedRun.Pairs(keys, each)))
    {
        Note = "One thread outside the pool queues the items of all keys in turn. Per item, with what is created for each key. With 1,000,000 keys, one item each; "
            + "a quick run has 200,000.",
    };
}
