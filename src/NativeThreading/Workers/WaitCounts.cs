namespace NativeThreading.Workers;

/// <summary>How many items waited how long in the queues, by buckets. Written by one thread, read by others.</summary>
internal sealed class WaitCounts
{
    /// <summary>The longest wait of each bucket but the last, which has none: 1, 2, 5 and so on, from a microsecond to ten seconds.</summary>
    public static readonly TimeSpan[] Bounds =
    [
        .. from decade in Enumerable.Range(0, 7)
           from step in (int[])[1, 2, 5]
           select TimeSpan.FromMicroseconds(step * Math.Pow(10, decade)),
        TimeSpan.FromSeconds(10),
    ];

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
}
