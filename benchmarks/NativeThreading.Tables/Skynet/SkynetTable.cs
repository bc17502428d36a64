using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Tables.Skynet;

/// <summary>A tree of a million actors, each a work item of its own, as group items, raw items and tasks.</summary>
internal sealed class SkynetTable : Table
{
    private const string Tasks = "task";

    private readonly RowSelection _selection = new();

    public override string Name => "skynet";

    public override string Description => "A tree of 111,111 and 1,111,111 items, compared with oneTBB, Boost.Fiber, Go and the built-in pool.";

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        using var peers = new SkynetPeers();
        (long Leaves, int Trees)[] sizes = [(100_000, options.Quick ? 2 : 5), (1_000_000, 1)];
        Row[] rows =
        [
            .. sizes.Select(s => Native("workgroup", s.Leaves, s.Trees, () => Grow(new WorkGroupTree(NativePool.Pool), s.Leaves),
                peers.Contenders("workgroup", SkynetPeers.All, s.Leaves, s.Trees))),
            .. sizes.Select(s => Native("items", s.Leaves, s.Trees, () => Grow(new ItemTree<NativePool>(), s.Leaves),
            [
                .. peers.Contenders("items", SkynetPeers.WithoutTbb, s.Leaves, s.Trees),
                Side(Contender.ThreadPool, s.Leaves, s.Trees, () => Grow(new ItemTree<BuiltInPool>(), s.Leaves)),
            ])),
            .. sizes.Select(s => Native("task", s.Leaves, s.Trees, () => TaskTree<NativePool>.Grow(s.Leaves, SkynetRun.Deadline),
                [Side(Tasks, s.Leaves, s.Trees, () => TaskTree<BuiltInPool>.Grow(s.Leaves, SkynetRun.Deadline))])),
        ];
        TableResult result = Interleaver.Measure(_selection.Of(rows, arguments), Schedule.For(options, seconds: 100, quickSeconds: 8), progress);
        return result with { Rows = [.. result.Rows.Select(r => r with { Note = NoteFor(r, result.Rows, peers) })] };
    }

    private static long? Grow(SkynetTree tree, long leaves) => tree.Grow(leaves, SkynetRun.Deadline);

    private static Row Native(string form, long leaves, int trees, Func<long?> grow, IReadOnlyList<Contender> peers) =>
        new($"{form}/{leaves}", "ms", Better.Lower, Side(Contender.Native, leaves, trees, grow), peers);

    private static Contender Side(string name, long leaves, int trees, Func<long?> grow) =>
        new(name, () => SkynetRun.Measure(name, leaves, trees, grow));

    /// <summary>The ratios that the row's own peers leave out: every form of NativeThreading against everything measured at that size.</summary>
    private static string NoteFor(RowResult row, IReadOnlyList<RowResult> rows, SkynetPeers peers)
    {
        string size = row.Name[row.Name.IndexOf('/', StringComparison.Ordinal)..];
        IEnumerable<string> ratios = rows.Where(r => r.Name.EndsWith(size, StringComparison.Ordinal)).SelectMany(r => r.Peers)
            .Where(p => !row.Peers.ContainsKey(p.Key)).GroupBy(p => p.Key)
            .Select(p => string.Create(CultureInfo.InvariantCulture, $"{p.Key} {p.First().Value.Value / row.Native.Value:F2}"));
        string crashes = row.Name.StartsWith("workgroup", StringComparison.Ordinal) ? peers.Note : "";
        return $"{row.Name}: not the same form of work, hence not in the ratio; their time over ours: {string.Join(", ", ratios.DefaultIfEmpty("none"))}.{crashes}";
    }
}
