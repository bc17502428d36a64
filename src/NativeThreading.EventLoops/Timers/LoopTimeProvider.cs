using NativeThreading.EventLoops.Turns;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops.Timers;

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

/// <summary>A loop's timer with the members and ranges of <see cref="System.Threading.Timer"/>.</summary>
internal sealed class ProviderTimer : ITimer
{
    private const long MaxMilliseconds = uint.MaxValue - 1;

    private readonly EventLoopTimer _timer;

    public ProviderTimer(EventLoop loop, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        _timer = new EventLoopTimer(loop, WorkItem.AsCallback(callback), state) { OutlivesLoop = true };
        if (dueTime != Timeout.InfiniteTimeSpan)
        {
            Set(dueTime, period);
        }
    }

    /// <summary>Checks a time by the rules of System.Threading.Timer, which rounds to whole milliseconds towards zero. What that
    /// timer takes for 0 or for infinite is so here; any other time keeps its ticks.</summary>
    public static TimeSpan Checked(TimeSpan time, string name) => (long)time.TotalMilliseconds switch
    {
        -1 => Timeout.InfiniteTimeSpan,
        >= 0 and <= MaxMilliseconds => time < TimeSpan.Zero ? TimeSpan.Zero : time,
        _ => throw new ArgumentOutOfRangeException(
            name, time, $"{name} must be between 0 and {MaxMilliseconds} ms, or Timeout.InfiniteTimeSpan, but was {time}."),
    };

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        dueTime = Checked(dueTime, nameof(dueTime));
        period = Checked(period, nameof(period));
        try
        {
            return Set(dueTime, period);
        }
        catch (ObjectDisposedException)
        {
            return false; // the timer was disposed, or its loop has ended
        }
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>Completes when the callback no longer runs. Called in the callback, it completes after the callback has ended.</summary>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private bool Set(TimeSpan dueTime, TimeSpan period)
    {
        if (dueTime == Timeout.InfiniteTimeSpan)
        {
            return _timer.TryCancel();
        }

        _timer.Arm(LoopClock.After(dueTime), period <= TimeSpan.Zero ? 0 : period.Ticks * TimeSpan.NanosecondsPerTick);
        return true;
    }
}
