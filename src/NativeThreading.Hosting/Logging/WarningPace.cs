namespace NativeThreading.Hosting;

/// <summary>Lets one warning of a kind through in ten seconds, and counts the others. Used from any thread.</summary>
/// <remarks>NativeThreading.AspNetCore compiles this file, too.</remarks>
internal sealed class WarningPace(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private long _quietUntil = long.MinValue;
    private long _untold;

    /// <param name="untold">Warnings that were held back since the last one.</param>
    public bool MayTell(out long untold)
    {
        long now = time.GetTimestamp();
        long quietUntil = Volatile.Read(ref _quietUntil);
        long next = now + (long)(Interval.TotalSeconds * time.TimestampFrequency);

        // Of several threads that come at once one logs. The others are counted, in its message or in the next.
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
