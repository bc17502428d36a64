using System.Collections.Concurrent;
using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Base of the timer tests: one loop per test. What a callback throws, an assertion for one, fails the test.</summary>
public abstract class TimerTest : IDisposable
{
    /// <summary>A due time that no test lives to see.</summary>
    protected static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly ConcurrentQueue<Exception> _thrown = new();

    protected TimerTest() => Loop = new EventLoop(new EventLoopOptions
    {
        Name = "timers",
        UnhandledException = exception =>
        {
            if (!IsExpected(exception))
            {
                _thrown.Enqueue(exception);
            }

            return true;
        },
    });

    protected EventLoop Loop { get; }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None), "the loop's shutdown");
        Assert.Empty(_thrown);
    }

    protected static TimeSpan Milliseconds(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    /// <summary>Which exceptions of callbacks are the test's own.</summary>
    protected virtual bool IsExpected(Exception exception) => false;

    protected EventLoopTimer NewTimer(Action callback) => new(Loop, static callback => ((Action)callback!)(), callback);

    /// <summary>Runs an action on the loop and waits for its end.</summary>
    protected void OnLoop(Action action) => Deadline.Wait(Loop.InvokeAsync(action), "the action on the loop");

    /// <inheritdoc cref="OnLoop(Action)"/>
    protected T OnLoop<T>(Func<T> function) => Deadline.Result(Loop.InvokeAsync(function), "the function on the loop");

    /// <summary>Returns when the loop has come to everything that was asked of it before.</summary>
    protected void PassTurn() => OnLoop(static () => { });

    /// <summary>Returns when the loop has fired every timer that is due by now: one that is armed now for 0 comes after them.</summary>
    protected void PassDueTimers()
    {
        using var fired = new ManualResetEventSlim();
        using EventLoopTimer last = NewTimer(fired.Set);
        OnLoop(() => last.Arm(TimeSpan.Zero));
        Deadline.Wait(fired, "a timer armed for 0");
    }

    /// <summary>Occupies the calling thread until the clock has passed a moment.</summary>
    protected static void SpinUntil(long timestamp)
    {
        while (Stopwatch.GetTimestamp() <= timestamp)
        {
            Thread.SpinWait(20);
        }
    }

    /// <summary>Occupies the calling thread for a time.</summary>
    protected static void Burn(TimeSpan time) => SpinUntil(After(Stopwatch.GetTimestamp(), time));

    /// <summary>A moment that much after another one, of Stopwatch's clock.</summary>
    protected static long After(long timestamp, TimeSpan time) =>
        timestamp + (long)(time.Ticks * ((double)Stopwatch.Frequency / TimeSpan.TicksPerSecond));
}
