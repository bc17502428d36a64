using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Other threads arm, cancel and dispose: what they said last counts, from the moment their call returns.</summary>
public sealed class TimerRequestTests : TimerTest
{
    private int _fired;

    [Theory, CombinatorialBooleans]
    public void CancelledOrDisposedWhileItsEventWaits_DoesNotFire(bool disposes)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        for (int i = 0; i < 100; i++)
        {
            // The first timer occupies the loop while the second, due with it, lies in the batch.
            using var entered = new ManualResetEventSlim();
            using var release = new ManualResetEventSlim();
            using EventLoopTimer first = NewTimer(() =>
            {
                entered.Set();
                release.Wait(Deadline.Time);
            });
            EventLoopTimer second = disposes ? NewTimer(() => _fired++) : timer;
            OnLoop(() =>
            {
                first.Arm(TimeSpan.Zero);
                second.Arm(TimeSpan.Zero);
            });
            Deadline.Wait(entered);
            if (disposes)
            {
                second.Dispose();
            }
            else
            {
                second.Cancel();
            }

            Assert.False(second.IsArmed);
            release.Set();
            PassDueTimers();
            Assert.Equal(0, _fired);
        }
    }

    [Fact]
    public void ArmedForLaterWhileItsEventWaits_FiresOnceAndLater()
    {
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        long firedAt = 0;
        using EventLoopTimer first = NewTimer(() =>
        {
            entered.Set();
            release.Wait(Deadline.Time);
        });
        using EventLoopTimer second = NewTimer(() =>
        {
            firedAt = Stopwatch.GetTimestamp();
            Interlocked.Increment(ref _fired);
        });
        OnLoop(() =>
        {
            first.Arm(TimeSpan.Zero);
            second.Arm(TimeSpan.Zero);
        });
        Deadline.Wait(entered);
        long armedAt = Stopwatch.GetTimestamp();
        second.Arm(Milliseconds(20));
        release.Set();
        Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        PassDueTimers();
        Assert.Equal(1, _fired);
        Assert.True(firedAt >= After(armedAt, Milliseconds(20)));
    }

    [Fact]
    public void CancelThatReturnsBeforeTheDeadline_IsInTime()
    {
        // The loop is idle, about to wake for the deadline; some of the calls return only just before it.
        using EventLoopTimer timer = NewTimer(() => Interlocked.Increment(ref _fired));
        var random = new Random(3);
        int inTime = 0;
        for (int i = 0; i < 500; i++)
        {
            int before = Volatile.Read(ref _fired);
            long earliestDeadline = After(Stopwatch.GetTimestamp(), Milliseconds(0.3));
            timer.Arm(Milliseconds(0.3));
            SpinUntil(earliestDeadline - (long)(random.NextDouble() * Stopwatch.Frequency / 10_000));
            timer.Cancel();
            if (Stopwatch.GetTimestamp() < earliestDeadline)
            {
                inTime++;
                SpinUntil(earliestDeadline);
                PassDueTimers();
                Assert.Equal(before, _fired);
            }

            PassDueTimers(); // a call that was too late may have let the callback pass
        }

        Assert.NotEqual(0, inTime);
    }
}
