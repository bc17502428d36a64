using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Base of the contract: one provider per test, disposed after it.</summary>
public abstract class TimeProviderContract<TTimers> : IDisposable
    where TTimers : ITimersUnderTest, new()
{
    protected static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly TTimers _timers = new();

    protected TimeProvider Provider => _timers.Provider;

    protected TimeSpan Resolution => _timers.Resolution;

    public void Dispose()
    {
        _timers.Dispose();
        GC.SuppressFinalize(this);
    }

    protected ITimer NewTimer(Action callback, TimeSpan dueTime, TimeSpan period) =>
        Provider.CreateTimer(static callback => ((Action)callback!)(), callback, dueTime, period);

    /// <summary>
    /// Returns when a timer that was armed for the same time or sooner has fired, if it fires at all: twice, for timers that
    /// are due together fire side by side on the built-in pool.
    /// </summary>
    protected void PassDueTimers()
    {
        for (int i = 0; i < 2; i++)
        {
            using var fired = new ManualResetEventSlim();
            using ITimer timer = NewTimer(fired.Set, Resolution, Timeout.InfiniteTimeSpan);
            Deadline.Wait(fired, "a timer of the provider's resolution");
        }
    }
}
