namespace NativeThreading.Hosting;

/// <summary>Lets one warning of a kind through in ten seconds, and counts the others for the next one. Used from any thread.</summary>
internal sealed class WarningPace(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private long _quietUntil = long.MinValue;
    private long _untold;

    /// <param name="untold">How many were not told since the last one that was.</param>
    public bool MayTell(out long untold)
    {
        long now = time.GetTimestamp();
        long quietUntil = Volatile.Read(ref _quietUntil);
        long next = now + (long)(Interval.TotalSeconds * time.TimestampFrequency);

        // Of several threads that come at once one tells; the others are counted, by this one or the next.
        if (now >= quietUntil && Interlocked.CompareExchange(ref _quietUntil, next, quietUntil) == quietUntil)
        {
            untold = Interlocked.Exchange(ref _untold, 0);
            return true;
        }

        Interlocked.Increment(ref _untold);
        untold = 0;
        return false;
    }
}
