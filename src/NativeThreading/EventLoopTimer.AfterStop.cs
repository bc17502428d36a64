using NativeThreading.EventLoops;

namespace NativeThreading;

/// <summary>
/// Timers of a loop's <see cref="EventLoop.TimeProvider"/> outlive the loop, because async methods may wait for them. Those
/// that are armed when it stops are replaced by timers of the runtime.
/// </summary>
public sealed partial class EventLoopTimer
{
    /// <summary>In place of a timer of the runtime: this timer was cancelled or disposed after the loop had stopped.</summary>
    private static readonly object s_over = new();

    private object? _afterStop;

    /// <summary>Whether the timer outlives its loop. Others are cancelled by the shutdown.</summary>
    internal bool OutlivesLoop { get; init; }

    /// <summary>The timer was armed when its loop had run its last callback. A request since the stop replaces that.</summary>
    private void GoOn()
    {
        if (!OutlivesLoop)
        {
            return;
        }

        LateTimer late = NewLate();
        if (Interlocked.CompareExchange(ref _afterStop, late, null) is null)
        {
            late.Arm(_deadline, _period);
        }
        else
        {
            late.Dispose();
        }
    }

    /// <summary>A request that has not reached its loop. Under the lock of requests.</summary>
    private void ApplyAfterStop(RequestKind kind)
    {
        if (!OutlivesLoop || kind == RequestKind.None)
        {
            return;
        }

        LateTimer? late = kind == RequestKind.Arm ? NewLate() : null;
        (Interlocked.Exchange(ref _afterStop, late ?? s_over) as LateTimer)?.Dispose();
        late?.Arm(_requestedDeadline, _requestedPeriod);
    }

    private LateTimer NewLate() => new(_loop, _callback, _state, _context);
}
