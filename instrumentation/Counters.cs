using System.Diagnostics;
using System.Numerics;

namespace NativeThreading.Instrumentation;

/// <summary>How often a pool does what costs more the more processors there are. Only a build with <c>-p:Counters=true</c> counts; in any other the
/// compiler leaves out the calls and their arguments.</summary>
/// <remarks>Each thread counts on lines of its own, so that counting moves no line between processors. The sums are of the whole process, and exact
/// once its threads rest.</remarks>
internal static class Counters
{
    /// <summary>Kinds of batch sizes: 1, 2 to 3, 4 to 7, and so on, 128 and more.</summary>
    public const int Sizes = 8;

    /// <summary>Places in a sum, one for each member of <see cref="Counted"/> and for each size of a batch.</summary>
    public const int Length = (int)Counted.StealSizes + Sizes;

    /// <summary>Whether this build counts.</summary>
    public static bool IsOn =>
#if COUNTERS
        true;
#else
        false;
#endif

    /// <summary>Counts once.</summary>
    [Conditional("COUNTERS")]
    public static void Add(Counted what) => Add(what, 1);

    /// <summary>Counts several at once.</summary>
    [Conditional("COUNTERS")]
    public static void Add(Counted what, int times)
    {
#if COUNTERS
        CounterBlock.OfThisThread.Add((int)what, times);
#else
        _ = (what, times);
#endif
    }

    /// <summary>Counts a transfer of several items by its size; none for an empty one.</summary>
    [Conditional("COUNTERS")]
    public static void AddBatch(Counted sizes, int items)
    {
        if (items > 0)
        {
            Add((Counted)SizeOf(sizes, items), 1);
        }
    }

    /// <summary>The place of a batch in a sum.</summary>
    public static int SizeOf(Counted sizes, int items) => (int)sizes + Math.Min(BitOperations.Log2((uint)items), Sizes - 1);

    /// <summary>What the calling thread has counted so far.</summary>
    public static long[] ReadOfThisThread()
    {
        var counts = new long[Length];
#if COUNTERS
        CounterBlock.OfThisThread.AddTo(counts);
#endif
        return counts;
    }

    /// <summary>The sums over all threads so far, those that have ended included; zeros in a build that does not count.</summary>
    public static long[] Read()
    {
        var sums = new long[Length];
#if COUNTERS
        CounterBlock.AddAllTo(sums);
#endif
        return sums;
    }
}
