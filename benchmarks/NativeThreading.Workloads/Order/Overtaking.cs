using System.Diagnostics;

namespace NativeThreading.Workloads.Order;

/// <summary>How long after a later item of its producer each item started, in microseconds, 0 where it started before all of them; and the most later
/// items that started before an earlier one.</summary>
internal sealed record Overtaking(float[] Microseconds, int MostBefore)
{
    /// <param name="starts">Of each producer, when its items started, in the order of queueing.</param>
    /// <param name="unjudged">Of each producer, the first items that are not looked at.</param>
    public static Overtaking Of(long[][] starts, int unjudged)
    {
        var late = new List<float>();
        int most = 0;
        foreach (long[] items in starts)
        {
            long earliest = long.MaxValue; // of the later ones
            for (int i = items.Length - 1; i >= unjudged; i--)
            {
                earliest = Math.Min(earliest, items[i]);
                late.Add((float)Stopwatch.GetElapsedTime(earliest, items[i]).TotalMicroseconds);
            }

            most = Math.Max(most, MostLaterBefore(items.AsSpan(unjudged)));
        }

        return new Overtaking([.. late], most);
    }

    /// <summary>Over the items, from the last to the first: how many of those seen started earlier. A tree of partial sums
    /// (Fenwick's) over the items by start keeps it at a logarithm of steps each.</summary>
    private static int MostLaterBefore(ReadOnlySpan<long> starts)
    {
        long[] sorted = starts.ToArray();
        Array.Sort(sorted);
        int[] sums = new int[sorted.Length + 1];
        int most = 0;
        for (int i = starts.Length - 1; i >= 0; i--)
        {
            int rank = FirstAtLeast(sorted, starts[i]);
            int before = 0;
            for (int at = rank; at > 0; at &= at - 1)
            {
                before += sums[at];
            }

            most = Math.Max(most, before);
            for (int at = rank + 1; at < sums.Length; at += at & -at)
            {
                sums[at]++;
            }
        }

        return most;
    }

    // The number of smaller starts; equal ones, of a coarse clock, count as in order.
    private static int FirstAtLeast(long[] sorted, long value)
    {
        (int low, int high) = (0, sorted.Length);
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = sorted[middle] < value ? (middle + 1, high) : (low, middle);
        }

        return low;
    }
}
