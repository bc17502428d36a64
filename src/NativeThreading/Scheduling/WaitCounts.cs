namespace NativeThreading.Scheduling;

/// <summary>How many items waited how long in the queues, by buckets. Written by one thread, read by others.</summary>
internal sealed class WaitCounts
{
    /// <summary>The longest wait of each bucket but the last, which has none: 1, 2, 5 and so on, from a microsecond to ten seconds.</summary>
    public static readonly TimeSpan[] Bounds = CreateBounds();

    private readonly long[] _counts = new long[Bounds.Length + 1];

    /// <summary>By the one thread that writes.</summary>
    public void Add(TimeSpan wait)
    {
        int bucket = 0;
        while (bucket < Bounds.Length && wait > Bounds[bucket]) // most are short
        {
            bucket++;
        }

        Volatile.Write(ref _counts[bucket], _counts[bucket] + 1);
    }

    /// <summary>Adds the counts to those of others. Any thread.</summary>
    public void AddTo(long[] sums)
    {
        for (int i = 0; i < sums.Length; i++)
        {
            sums[i] += Volatile.Read(ref _counts[i]);
        }
    }

    // A plain loop: the first pool of a process comes here, and a query would load and compile for some milliseconds.
    private static TimeSpan[] CreateBounds()
    {
        ReadOnlySpan<int> microseconds =
        [
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000,
            100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
        ];
        var bounds = new TimeSpan[microseconds.Length];
        for (int i = 0; i < bounds.Length; i++)
        {
            bounds[i] = new TimeSpan(microseconds[i] * TimeSpan.TicksPerMicrosecond);
        }

        return bounds;
    }
}
