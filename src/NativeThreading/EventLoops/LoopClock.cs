using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops;

/// <summary>The native loop's clock, CLOCK_MONOTONIC in nanoseconds, which is what Stopwatch reads on Linux.</summary>
internal static class LoopClock
{
    /// <summary>A deadline that means the moment of the last poll, so no clock is read for it.</summary>
    public const long AtOnce = 0;

    public static long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Stopwatch.Frequency == 1_000_000_000
            ? Stopwatch.GetTimestamp()
            : (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    /// <summary>The deadline of a due time from now. Reads the clock each time: a cached time makes timers fire early (T77).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long After(TimeSpan dueTime) => dueTime.Ticks == 0 ? AtOnce : Now + (dueTime.Ticks * TimeSpan.NanosecondsPerTick);
}
