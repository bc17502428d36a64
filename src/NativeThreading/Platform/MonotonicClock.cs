using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The clock of deadlines: nanoseconds of <see cref="Stopwatch"/>, which on Linux is CLOCK_MONOTONIC, the native core's.</summary>
internal static class MonotonicClock
{
    /// <summary>A deadline that never comes.</summary>
    public const long Never = long.MaxValue;

    public static long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Stopwatch.Frequency == 1_000_000_000
            ? Stopwatch.GetTimestamp()
            : (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    /// <summary>The deadline of a timeout that starts now; a negative one is indefinitely. Saturates (T21).</summary>
    public static long After(long timeoutNanoseconds)
    {
        if (timeoutNanoseconds < 0)
        {
            return Never;
        }

        long now = Now;
        return timeoutNanoseconds < Never - now ? now + timeoutNanoseconds : Never;
    }

    /// <summary>What a wait that takes milliseconds may wait for at once until a deadline: never less than what is left, unless that is more
    /// than it can take. -1: indefinitely; 0: the deadline has passed.</summary>
    public static int MillisecondsUntil(long deadline)
    {
        if (deadline == Never)
        {
            return Timeout.Infinite;
        }

        long left = deadline - Now;
        return left <= 0 ? 0 : (int)Math.Min(int.MaxValue, ((left - 1) / 1_000_000) + 1);
    }
}
