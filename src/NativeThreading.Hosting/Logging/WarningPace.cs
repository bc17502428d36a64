namespace NativeThreading.Hosting;

/// <summary>Lets one message of a kind through in ten seconds, and counts the suppressed ones. Any thread may call it.</summary>
/// <remarks>NativeThreading.AspNetCore compiles this file, too.</remarks>
internal sealed class WarningPace(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private long _quietUntil = long.MinValue;
    private long _suppressed;

    /// <param name="suppressed">The number of messages suppressed since the last one that was logged.</param>
    public bool MayLog(out long suppressed)
    {
        long now = time.GetTimestamp();
        long quietUntil = Volatile.Read(ref _quietUntil);
        long next = now + (long)(Interval.TotalSeconds * time.TimestampFrequency);

        // If several threads arrive at once, one of them logs. The others are counted, in its message or in the next one.
        if (now >= quietUntil && Interlocked.CompareExchange(ref _quietUntil, next, quietUntil) == quietUntil)
        {
            suppressed = Interlocked.Exchange(ref _suppressed, 0);
            return true;
        }

        Interlocked.Increment(ref _suppressed);
        suppressed = 0;
        return false;
    }
}
