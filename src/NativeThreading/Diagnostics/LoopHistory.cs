using System.Diagnostics;

namespace NativeThreading.Diagnostics;

/// <summary>What one observer saw of a loop at its last look.</summary>
internal sealed class LoopHistory
{
    private (long Count, long Busy, long Time)? _last;

    public LoopSnapshot Look(EventLoop loop, ThreadObserver observer, long now)
    {
        (long count, long busy, long longest, long running) = loop.Turns.Look(observer, now);
        (long Count, long Busy, long Time) before = _last ?? (count, busy, now);
        _last = (count, busy, now);
        (int timers, int registrations) = loop.TargetCounts;
        return new LoopSnapshot
        {
            Id = loop.Number,
            Name = loop.Name,
            PendingCallbackCount = loop.PendingCallbackCount,
            TurnCount = count - before.Count,
            LongestTurn = Stopwatch.GetElapsedTime(0, longest),
            RunningTurn = Stopwatch.GetElapsedTime(0, running),
            BusyShare = now == before.Time ? 0 : Math.Clamp((double)(busy - before.Busy) / (now - before.Time), 0, 1),
            ArmedTimerCount = timers,
            RegistrationCount = registrations,
        };
    }
}
