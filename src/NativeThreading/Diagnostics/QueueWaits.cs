using NativeThreading.Workers;

namespace NativeThreading.Diagnostics;

/// <summary>How long items waited in the queues of a pool: a histogram.</summary>
/// <param name="Counts">Items by buckets: one for each of <see cref="Bounds"/>, and one for longer waits.</param>
public sealed record QueueWaits(IReadOnlyList<long> Counts)
{
    /// <summary>The longest wait of each bucket but the last: 1, 2, 5 and so on, from a microsecond to ten seconds.</summary>
    public static IReadOnlyList<TimeSpan> Bounds { get; } = Array.AsReadOnly(WaitCounts.Bounds);

    /// <summary>The wait that this share of the items did not exceed, interpolated within its bucket. Of the last bucket it is the
    /// greatest bound.</summary>
    /// <param name="share">0 to 1: 0.99 for the 99th percentile.</param>
    /// <returns>Zero where there are no items.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="share"/> is not between 0 and 1.</exception>
    public TimeSpan Percentile(double share)
    {
        if (!(share >= 0 && share <= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(share), share, "A share lies between 0 and 1.");
        }

        double rank = share * Counts.Sum();
        double below = 0;
        for (int i = 0; i < Bounds.Count; i++)
        {
            if (Counts[i] != 0 && below + Counts[i] >= rank)
            {
                TimeSpan lower = i == 0 ? TimeSpan.Zero : Bounds[i - 1];
                return lower + ((Bounds[i] - lower) * ((rank - below) / Counts[i]));
            }

            below += Counts[i];
        }

        return below < rank ? Bounds[^1] : TimeSpan.Zero;
    }
}
