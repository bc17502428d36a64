using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.HandOver;

/// <summary>How long a loop that hands over stands still when a callback blocks.</summary>
internal sealed class HandOverTable : Table
{
    /// <summary>What the median of a proven block may take.</summary>
    public static readonly TimeSpan Target = TimeSpan.FromMilliseconds(5);

    private const int WarmUps = 10;

    private readonly RowSelection _selection = new();

    public override string Name => "handover";

    public override string Description => "From the moment a callback of a loop blocks until another one runs there: median and p99, by how it blocks.";

    public override bool IsInAll => false;

    // The monitor and the loop's next thread come while the blocked one still has its processor.
    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var sleep = new BlockingSleep();
        using var contendedLock = new BlockingLock();
        using var read = new BlockingRead();
        using var region = new BlockingInRegion();
        IReadOnlyList<BlockingWay> ways = _selection.Of<BlockingWay>([sleep, contendedLock, read, region], static way => way.Name, arguments);
        int rounds = options.Quick ? 50 : options.Full ? 1_000 : 200;
        using var loop = new HandedOverLoop();
        var times = ways.ToDictionary(static way => way, _ => new List<double>(rounds));
        for (int round = -WarmUps; round < rounds; round++)
        {
            for (int i = 0; i < ways.Count; i++)
            {
                progress.Show($"round {Math.Max(round, 0) + 1} of {rounds}", i, ways.Count);
                double milliseconds = loop.Measure(ways[i]).TotalMilliseconds;
                if (round >= 0)
                {
                    times[ways[i]].Add(milliseconds);
                }
            }
        }

        progress.Clear();
        return new TableResult(rounds, [.. ways.SelectMany(way => HandOverRows.Of(way, times[way]))]);
    }
}
