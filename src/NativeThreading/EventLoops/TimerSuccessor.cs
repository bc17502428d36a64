namespace NativeThreading.EventLoops;

/// <summary>What follows a timer of a loop's <see cref="EventLoop.TimeProvider"/> that was armed when the loop stopped: a timer of
/// the runtime, because async methods may wait for it. Embedded in the timer.</summary>
internal struct TimerSuccessor
{
    /// <summary>In place of a timer of the runtime: the timer was cancelled or disposed after the stop.</summary>
    private static readonly object s_none = new();

    private object? _timer;

    /// <summary>The timer was armed when its loop had run its last callback. A request since the stop replaces that.</summary>
    public void Begin(LateTimer late, long deadline, long period)
    {
        if (Interlocked.CompareExchange(ref _timer, late, null) is null)
        {
            late.Arm(deadline, period);
        }
        else
        {
            late.Dispose();
        }
    }

    /// <summary>A request that has not reached the loop, under the lock of requests; <see langword="null"/>: no more timer.</summary>
    public void Replace(LateTimer? late, long deadline, long period)
    {
        (Interlocked.Exchange(ref _timer, late ?? s_none) as LateTimer)?.Dispose();
        late?.Arm(deadline, period);
    }
}
