using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.ParallelLoops;

namespace NativeThreading.Tables.ParallelLoops;

/// <summary>Loops with a cheap body: what a loop costs.</summary>
internal sealed class ParallelTable : Table
{
    private const int Iterations = 10_000_000; // of all loops of a run together, at most so many

    private readonly RowSelection _selection = new();

    public override string Name => "parallel";

    public override string Description => "Loops over a range and over a list with a cheap body, compared with Parallel and oneTBB.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using PeerProcess? tbb = PeerPrograms.Built.Find("parallel_tbb") is { } path ? new PeerProcess(path) : null;
        Row[] rows =
        [
            .. from count in (int[])[10, 1_000, 100_000, 10_000_000] select For(count, Loops(count, options), tbb),
            .. from count in (int[])[1_000, 100_000] select ForEach(count, Loops(count, options)),
        ];
        return Interleaver.Measure(_selection.Of(rows, arguments), Schedule.For(options, seconds: 60, quickSeconds: 10), progress);
    }

    private static int Loops(int count, RunOptions options) => Math.Clamp(Iterations / (options.Quick ? 5 : 1) / count, 1, 20_000);

    private static Row For(int count, int loops, PeerProcess? tbb) => new(
        $"for/count={count}",
        "us",
        Better.Lower,
        new Contender(Contender.Native, () => ParallelRun.ForOnPool(count, loops)),
        [
            new Contender("parallel", () => ParallelRun.ForOfFramework(count, loops)),
            .. tbb is null
                ? (Contender[])[]
                : [new Contender("tbb", () => tbb.Measure($"for/{count}", loops, count).InMicroseconds()) { IsOtherProgram = true }],
        ])
    {
        Note = "Per loop. The body adds its number to a cell of an array. A thread outside the pool calls the loop and takes part. oneTBB inlines the body; "
            + "the others call a delegate." + (tbb is null ? " oneTBB was not built; benchmarks/peers/install-debian.sh installs what it needs." : ""),
    };

    private static Row ForEach(int count, int loops) => new(
        $"for-each/count={count}",
        "us",
        Better.Lower,
        new Contender(Contender.Native, () => ParallelRun.ForEachOnPool(count, loops)),
        new Contender("parallel", () => ParallelRun.ForEachOfFramework(count, loops)));
}
