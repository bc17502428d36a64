using NativeThreading.EventLoops;

namespace NativeThreading;

/// <summary>
/// Timers of a loop's <see cref="EventLoop.TimeProvider"/> outlive the loop, for async methods may be waiting for them: what was
/// armed when it stopped goes on on the runtime's timers.
/// </summary>
public sealed partial class EventLoopTimer
{
    /// <summary>Stands for a timer of which somebody has said, since the loop stopped, that it is not to fire.</summary>
    private static readonly object s_over = new();

    private object? _afterStop;

    /// <summary>Whether the end of the loop is not its end. Others are cancelled, as the loop's shutdown says.</summary>
    internal bool OutlivesLoop { get; init; }

    /// <summary>It was armed when its loop had run its last callback. What was requested since the stop replaces that.</summary>
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
