using NativeThreading.Queues;

namespace NativeThreading.EventLoops;

/// <summary>A loop's timer with the members and ranges of <see cref="System.Threading.Timer"/>.</summary>
internal sealed class ProviderTimer : ITimer
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    private readonly EventLoopTimer _timer;

    public ProviderTimer(EventLoop loop, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        _timer = new EventLoopTimer(loop, WorkItem.AsCallback(callback), state);
        Set(dueTime, period);
    }

    public static void CheckRange(TimeSpan time, string name)
    {
        if ((time < TimeSpan.Zero && time != Timeout.InfiniteTimeSpan) || time > s_longest)
        {
            throw new ArgumentOutOfRangeException(name, time, $"{name} must be 0 to {s_longest}, or Timeout.InfiniteTimeSpan, but is {time}.");
        }
    }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        CheckRange(dueTime, nameof(dueTime));
        CheckRange(period, nameof(period));
        try
        {
            Set(dueTime, period);
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false; // the timer's answer, or its loop's
        }
    }

    public void Dispose() => _timer.Dispose();

    public ValueTask DisposeAsync()
    {
        if (_timer.Loop.IsInLoop)
        {
            _timer.Dispose();
            return default;
        }

        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _timer.Dispose(released.SetResult);
        return new ValueTask(released.Task);
    }

    private void Set(TimeSpan dueTime, TimeSpan period)
    {
        if (dueTime == Timeout.InfiniteTimeSpan)
        {
            _timer.Cancel();
        }
        else if (period <= TimeSpan.Zero)
        {
            _timer.Arm(dueTime);
        }
        else
        {
            _timer.Arm(dueTime, period);
        }
    }
}
