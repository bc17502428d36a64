using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Quwi;

namespace NativeThreading.Tables.Quwi;

/// <summary>The cells of the tables. All depths and degrees divide the number of callbacks.</summary>
internal static class QuwiShapes
{
    // 1: each callback is queued by a producer. 2: half are. 16, 64: mostly items that queue their successor.
    // 512: a producer queues little; the rest is a worker feeding itself.
    private static readonly int[] s_depths = [1, 2, 16, 64, 512];

    // 1: one producer, the other workers steal or take. 2: a producer per CPU of a small machine. 16, 64, 512: more
    // producers than workers, so that queueing and running interleave.
    private static readonly int[] s_degrees = [1, 2, 16, 64, 512];

    private static readonly int[] s_more = [4, 8, 32, 128];

    public static int[] Depths(bool full) => [.. s_depths.Concat(full ? s_more : []).Order()];

    public static int[] Degrees(bool full) => [.. s_degrees.Concat(full ? s_more : []).Order()];

    public static IEnumerable<Row> Rows(string queue, bool full) =>
        from depth in Depths(full)
        from degree in Degrees(full)
        select Cell(queue, depth, degree);

    public static string Name(string queue, int depth, int degree) => $"{queue}/depth={depth}/parallelism={degree}";

    private static Row Cell(string queue, int depth, int degree) => queue switch
    {
        "global" => Cell<GlobalForm<NativePool>, GlobalForm<BuiltInPool>>(queue, depth, degree),
        "local" => Cell<LocalForm<NativePool>, LocalForm<BuiltInPool>>(queue, depth, degree),
        "unsafe-global" => Cell<UnsafeGlobalForm<NativePool>, UnsafeGlobalForm<BuiltInPool>>(queue, depth, degree),
        "unsafe-local" => Cell<UnsafeLocalForm<NativePool>, UnsafeLocalForm<BuiltInPool>>(queue, depth, degree),
        _ => throw new ArgumentOutOfRangeException(nameof(queue), queue, "unknown queue"),
    };

    private static Row Cell<TNative, TBuiltIn>(string queue, int depth, int degree)
        where TNative : struct, IForm
        where TBuiltIn : struct, IForm =>
        new(Name(queue, depth, degree), "M items/s", Better.Higher,
            () => QuwiRun.Measure<TNative>(depth, degree), () => QuwiRun.Measure<TBuiltIn>(depth, degree));
}
