using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>A histogram of how long items waited in the queues of a pool.</summary>
/// <param name="Counts">The number of items in each bucket: one bucket for each of <see cref="Bounds"/>, and one for longer waits.</param>
/// <example>
/// <code>
/// TimeSpan? slowest = snapshot.Pools[0].QueueWaits?.Percentile(0.99);
/// </code>
/// </example>
public sealed record QueueWaits(IReadOnlyList<long> Counts)
{
    /// <summary>Gets the longest wait of each bucket except the last: 1, 2, 5 and so on, from one microsecond to ten seconds.</summary>
    public static IReadOnlyList<TimeSpan> Bounds { get; } = Array.AsReadOnly(WaitCounts.Bounds);

    /// <summary>Returns the wait that this share of the items did not exceed, interpolated within its bucket. If that is the last bucket,
    /// returns the greatest bound.</summary>
    /// <param name="share">The share, between 0 and 1: 0.99 for the 99th percentile.</param>
    /// <returns>The wait; zero if there are no items.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="share"/> is not between 0 and 1.</exception>
    public TimeSpan Percentile(double share)
    {
        if (!(share >= 0 && share <= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(share), share, $"{nameof(share)} must be between 0 and 1, but was {share}.");
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
