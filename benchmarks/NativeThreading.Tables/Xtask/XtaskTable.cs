using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Xtask;

/// <summary>The task benchmarks of xTask (mivinci's xKit, moo, libx), each with its own definition.</summary>
internal sealed class XtaskTable : Table
{
    private readonly RowSelection _selection = new();

    public override string Name => "xtask";

    public override string Description => "Submit and wait, fan-out, batches, concurrent producers and worker scaling, compared with libuv's pool.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var shapes = new XtaskShapes();
        return Interleaver.Measure(_selection.Of(shapes.Rows(), arguments), Schedule.For(options, seconds: 110, quickSeconds: 14), progress);
    }
}
