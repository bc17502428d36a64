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
        }

        Assert.NotEqual(0, inTime);
    }

    [Theory, CombinatorialBooleans]
    public void LastRequestWins(bool lastArms)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        using (new BlockedLoop(Loop))
        {
            for (int i = 0; i < 1_000; i++)
            {
                timer.Arm(i % 2 == 0 ? TimeSpan.Zero : Hour);
                timer.Cancel();
            }

            if (lastArms)
            {
                timer.Arm(Hour);
                timer.Arm(TimeSpan.Zero);
            }

            Assert.Equal(lastArms, timer.IsArmed);
            Assert.InRange(Loop.PendingCallbackCount, 1, 2); // a thousand requests travel as one
        }

        PassDueTimers();
        Assert.Equal(lastArms ? 1 : 0, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void WhatTheLoopSaysItself_ReplacesWhatOthersSaidBefore(bool loopArms)
    {
        // The other thread's call waits behind the callback in which the loop speaks.
        using EventLoopTimer timer = NewTimer(() => _fired++);
        OnLoop(() =>
        {
            StartGate.Run(1, _ => timer.Arm(loopArms ? Hour : TimeSpan.Zero));
            Assert.True(timer.IsArmed);
            if (loopArms)
            {
                timer.Arm(TimeSpan.Zero);
            }
            else
            {
                timer.Cancel();
            }

            Assert.Equal(loopArms, timer.IsArmed);
        });
        PassDueTimers();
        Assert.Equal(loopArms ? 1 : 0, _fired);
        Assert.False(timer.IsArmed);
    }

    [Fact]
    public void ArmedFromElsewhere_IsArmedFromThenOn()
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        for (int i = 0; i < 2_000; i++)
        {
            timer.Arm(Hour);
            for (int look = 0; look < 200; look++)
            {
                Assert.True(timer.IsArmed); // also while the loop is taking the request over
            }

            timer.Cancel();
            for (int look = 0; look < 50; look++)
            {
                Assert.False(timer.IsArmed);
            }
        }
    }
}
