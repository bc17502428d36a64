using NativeThreading.Queues;

namespace NativeThreading.EventLoops;

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

    /// <summary>
    /// The time that is meant: System.Threading.Timer judges by whole milliseconds, towards zero. What it takes for 0 or
    /// for infinite is so here, the rest keeps its ticks.
    /// </summary>
    public static TimeSpan Checked(TimeSpan time, string name) => (long)time.TotalMilliseconds switch
    {
        -1 => Timeout.InfiniteTimeSpan,
        >= 0 and <= MaxMilliseconds => time < TimeSpan.Zero ? TimeSpan.Zero : time,
        _ => throw new ArgumentOutOfRangeException(
            name, time, $"{name} must be 0 to {MaxMilliseconds} ms, or Timeout.InfiniteTimeSpan, but is {time}."),
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
            return false; // the timer's answer, or its loop's
        }
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>Completes when the callback runs no more, in the callback itself after it has ended.</summary>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private bool Set(TimeSpan dueTime, TimeSpan period)
    {
        if (dueTime == Timeout.InfiniteTimeSpan)
        {
            return _timer.TryCancel();
        }

        if (period <= TimeSpan.Zero)
        {
            _timer.Arm(dueTime);
        }
        else
        {
            _timer.Arm(dueTime, period);
        }

        return true;
    }
}
