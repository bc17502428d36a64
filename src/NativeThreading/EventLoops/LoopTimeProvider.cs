using NativeThreading.Queues;

namespace NativeThreading.EventLoops;

/// <summary>The system's clocks, with timers that fire on a loop.</summary>
internal sealed class LoopTimeProvider(EventLoop loop) : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        dueTime = ProviderTimer.Checked(dueTime, nameof(dueTime));
        period = ProviderTimer.Checked(period, nameof(period));
        try
        {
            loop.Lifecycle.BeforeEntry();
            return new ProviderTimer(loop, callback, state, dueTime, period);
        }
        catch (ObjectDisposedException)
        {
            var late = new LateTimer(loop, WorkItem.AsCallback(callback), state, ExecutionContext.Capture());
            late.Change(dueTime, period);
            return late;
        }
    }
}
