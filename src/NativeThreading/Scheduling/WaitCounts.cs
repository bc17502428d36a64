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

    // Plain loops: the first pool of a process comes here, and a query would load and compile for some milliseconds.
    private static TimeSpan[] CreateBounds()
    {
        const int decades = 7;
        ReadOnlySpan<int> steps = [1, 2, 5];
        var bounds = new TimeSpan[(decades * steps.Length) + 1];
        int at = 0;
        for (long microseconds = 1; at < bounds.Length - 1; microseconds *= 10)
        {
            foreach (int step in steps)
            {
                bounds[at++] = new TimeSpan(step * microseconds * TimeSpan.TicksPerMicrosecond);
            }
        }

        bounds[at] = TimeSpan.FromSeconds(10);
        return bounds;
    }
}
