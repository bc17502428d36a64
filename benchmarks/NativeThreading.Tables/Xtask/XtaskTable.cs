using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Xtask;

/// <summary>The task benchmarks of xTask (mivinci's xKit, moo, libx), each with its own definition.</summary>
internal sealed class XtaskTable : Table
{
    public override string Name => "xtask";

    public override string Description => "Submit and wait, fan-out, batches, concurrent producers and worker scaling, beside libuv's pool.";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var shapes = new XtaskShapes();
        return Interleaver.Measure([.. shapes.Rows()], Schedule.For(options, seconds: 110, quickSeconds: 20), progress);
    }
}
