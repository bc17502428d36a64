using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Each callback begins the next of a series.</summary>
public sealed class TimerSeriesTests : TimerTest
{
    private readonly ManualResetEventSlim _done = new();
    private EventLoopTimer? _timer;
    private int _fired;

    [Fact]
    public void SuccessiveDelays_AreNeverEarlyTogether()
    {
        const int count = 50;
        int left = count;
        long startedAt = 0, endedAt = 0;
        EventLoopTimer timer = null!;
        timer = NewTimer(() =>
        {
            if (--left == 0)
            {
                endedAt = Stopwatch.GetTimestamp();
                _done.Set();
                return;
            }

            timer.Arm(Milliseconds(0.7));
        });
        OnLoop(() =>
        {
            startedAt = Stopwatch.GetTimestamp();
            timer.Arm(Milliseconds(0.7));
        });
        Deadline.Wait(_done);
        Assert.True(endedAt >= After(startedAt, count * Milliseconds(0.7)));
        timer.Dispose();
    }

    [Fact]
    public void CreatesAndDisposesOthers()
    {
        // Each callback's place in the loop is the next one's.
        void Next()
        {
            _timer!.Dispose();
            if (++_fired == 1_000)
            {
                _done.Set();
                return;
            }

            _timer = NewTimer(Next);
            _timer.Arm(TimeSpan.Zero);
        }

        _timer = NewTimer(Next);
        _timer.Arm(TimeSpan.Zero);
        Deadline.Wait(_done);
        PassDueTimers();
        Assert.Equal(1_000, _fired);
    }
}
