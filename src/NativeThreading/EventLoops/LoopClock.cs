using System.Runtime.CompilerServices;
using NativeThreading.Waiting;

namespace NativeThreading.EventLoops;

/// <summary>The clock of timers: nanoseconds, the same in either core.</summary>
internal static class LoopClock
{
    /// <summary>A deadline that means the moment of the last poll, so no clock is read for it.</summary>
    public const long AtOnce = 0;

    public static long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => MonotonicClock.Now;
    }

    /// <summary>The deadline of a due time from now. Reads the clock each time: a cached time makes timers fire early (T77).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long After(TimeSpan dueTime) => dueTime.Ticks == 0 ? AtOnce : Now + (dueTime.Ticks * TimeSpan.NanosecondsPerTick);
}
