using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Order;

namespace NativeThreading.Tables.Order;

/// <summary>How far items of a producer start out of the order in which it queued them.</summary>
internal sealed class OrderTable : Table
{
    // The code of the items, and of both pools, compiled before the clock counts: see Interleaver.
    private const int WarmUps = 3;
    private const double LongestOfWarmUp = 20;
    private static readonly TimeSpan s_tieringPause = TimeSpan.FromMilliseconds(250);

    private static readonly OwnPool s_unlimited = new(new NativeThreadPoolOptions { Name = "order" });
    private static readonly OwnPool s_limited = new(new NativeThreadPoolOptions
    {
        Name = "order",
        QueueLimit = OrderShape.QueueLimit,
        QueueFullMode = QueueFullMode.Wait,
    });

    private readonly RowSelection _selection = new();

    public override string Name => "order";

    public override string Description => "How long after later items of its producer an item starts, by what items cost: p99, worst, and how many.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        IReadOnlyList<OrderShape> shapes = _selection.Of(OrderShapes.All, static shape => shape.Name, arguments);
        int rounds = options.Quick ? 3 : options.Full ? 25 : 9;
        OrderResult[] native = [.. shapes.Select(_ => new OrderResult())];
        OrderResult[] builtIn = [.. shapes.Select(_ => new OrderResult())];

        for (int pass = 0; pass < WarmUps; pass++)
        {
            foreach (OrderShape shape in shapes.Where(static shape => shape.Microseconds <= LongestOfWarmUp))
            {
                OrderRun.Measure(shape, Ours(shape));
                OrderRun.Measure(shape, default(BuiltInPool));
            }

            Thread.Sleep(s_tieringPause);
        }

        for (int round = 0; round < rounds; round++)
        {
            for (int row = 0; row < shapes.Count; row++)
            {
                progress.Show($"round {round + 1} of {rounds}", row, shapes.Count);
                OrderShape shape = shapes[row];
                Action[] contenders =
                [
                    () => native[row].Add(OrderRun.Measure(shape, Ours(shape))),
                    () => builtIn[row].Add(OrderRun.Measure(shape, default(BuiltInPool))),
                ];
                foreach (Action run in (round + row) % 2 == 0 ? contenders : contenders.Reverse())
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    run();
                }
            }
        }

        progress.Clear();
        return new TableResult(rounds, [.. shapes.SelectMany((shape, row) => OrderRows.Of(shape, native[row], builtIn[row]))]);
    }

    public override void Print(TableResult result) => OrderPrinter.Print(result.Rows);

    private static OwnPool Ours(OrderShape shape) => shape.Queueing == Queueing.Limited ? s_limited : s_unlimited;
}
