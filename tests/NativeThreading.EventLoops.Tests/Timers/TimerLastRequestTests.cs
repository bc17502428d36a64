using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Of what several threads want of a timer the last counts, and IsArmed says so at every moment.</summary>
public sealed class TimerLastRequestTests : TimerTest
{
    private int _fired;

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
