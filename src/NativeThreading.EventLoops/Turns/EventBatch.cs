using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The array that a poll fills, and the position that the loop has reached in it. Until the next poll the native loop
/// strikes out stale events in it. So it is native memory, and each event is read only when its turn comes (T76).</summary>
internal sealed unsafe class EventBatch
{
    private readonly NativeEvent* _events = (NativeEvent*)NativeMemory.Alloc(LoopTuning.EventsPerPoll, (nuint)sizeof(NativeEvent));
    private int _count;
    private int _next;

    ~EventBatch() => NativeMemory.Free(_events);

    /// <summary>Polls. What is left of the last batch is lost. Returns a count or -errno.</summary>
    public int Poll(in CoreLoop loop, long timeoutNanoseconds, uint flags)
    {
        _next = 0;
        int count = loop.Poll(_events, LoopTuning.EventsPerPoll, timeoutNanoseconds, flags);
        _count = Math.Max(count, 0);
        return count;
    }

    /// <summary>Takes the next event of a timer or a descriptor. From here on it counts as delivered: a callback that cancels its
    /// timer finds nothing to strike out, and one that throws does not get the event again.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(out NativeEvent taken)
    {
        while (_next < _count)
        {
            ref NativeEvent next = ref _events[_next++];
            if (next.Kind >= NativeEventKind.Timer)
            {
                taken = next;
                next.Kind = NativeEventKind.None;
                return true;
            }
        }

        taken = default;
        return false;
    }
}

/// <summary>The clock of timers: nanoseconds, the same in either core.</summary>
internal static class LoopClock
{
    /// <summary>A deadline that means the moment of the last poll, so no clock is read for it.</summary>
    public const long AtOnce = 0;

    /// <summary>The deadline of a due time from now. Reads the clock each time: a cached time makes timers fire early (T77).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long After(TimeSpan dueTime) => dueTime.Ticks == 0 ? AtOnce : MonotonicClock.Now + (dueTime.Ticks * TimeSpan.NanosecondsPerTick);
}
