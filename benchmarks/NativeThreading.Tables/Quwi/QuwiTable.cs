using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Quwi;

/// <summary>QueueUserWorkItem throughput by depth and parallelism, after the scalability tables with which the built-in pool was tuned ("QUWI No
/// Queues" and "QUWI Queue Local").</summary>
internal sealed class QuwiTable : Table
{
    private const string OrderNote =
        "Ours keeps first-in-first-out order per producer, through per-worker lanes; the built-in queue keeps one order for all.";

    private readonly Option<bool> _unsafe = new("--unsafe")
    {
        Description = "The Unsafe forms instead, which do not carry the execution context.",
    };

    private readonly Option<string?> _gc = new("--gc")
    {
        Description = "In a separate process with this collector, or in two, and both printed next to each other.",
        HelpName = $"{QuwiCollectors.Workstation}|{QuwiCollectors.Server}|{QuwiCollectors.Both}",
    };

    public QuwiTable() => _gc.AcceptOnlyFromAmong(QuwiCollectors.Workstation, QuwiCollectors.Server, QuwiCollectors.Both);

    public override string Name => "quwi";

    public override string Description => "QueueUserWorkItem throughput: global and local queue, by depth and parallelism.";

    public override IEnumerable<Option> Options => [_unsafe, _gc];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (arguments.GetValue(_gc) is string collectors)
        {
            return QuwiCollectors.Measure(collectors, options, arguments.GetValue(_unsafe) ? [_unsafe.Name] : []);
        }

        string prefix = arguments.GetValue(_unsafe) ? "unsafe-" : "";
        List<Row> rows =
        [
            .. QuwiShapes.Rows(prefix + "global", options.Full).Select(r => r with { Note = OrderNote }),
            .. QuwiShapes.Rows(prefix + "local", options.Full),
        ];
        return Interleaver.Measure(rows, Schedule.For(options, seconds: 100, quickSeconds: 10), progress);
    }

    public override void Print(TableResult result)
    {
        if (QuwiCollectors.Has(result))
        {
            QuwiCollectors.Print(result);
            return;
        }

        bool isUnsafe = result.Rows[0].Name.StartsWith("unsafe-", StringComparison.Ordinal);
        string prefix = isUnsafe ? "unsafe-" : "";
        string call = isUnsafe ? "UnsafeQueueUserWorkItem" : "QueueUserWorkItem";
        QuwiGrid.Print($"{call}, global queue", prefix + "global", result.Rows, OrderNote);
        QuwiGrid.Print($"{call}, local queue", prefix + "local", result.Rows, note: null);
    }
}
