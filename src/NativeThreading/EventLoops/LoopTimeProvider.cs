namespace NativeThreading.EventLoops;

/// <summary>The system's clocks, with timers that fire on a loop.</summary>
internal sealed class LoopTimeProvider(EventLoop loop) : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ProviderTimer.CheckRange(dueTime, nameof(dueTime));
        ProviderTimer.CheckRange(period, nameof(period));
        loop.BeforeEntry();
        return new ProviderTimer(loop, callback, state, dueTime, period);
    }
}
