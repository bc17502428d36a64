using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>What timers cost in system calls: counted, because counts are the same on a busy machine.</summary>
public sealed class TimerSystemCallTests : TimerTest
{
    [Fact]
    public void T69_ArmingAndCancellingOnTheLoop_MakesNoSystemCall()
    {
        EventLoopTimer[] timers = [.. Enumerable.Range(0, 100).Select(_ => NewTimer(static () => { }))];
        (EventLoopStats before, EventLoopStats after) = OnLoop(() =>
        {
            EventLoopStats before = Loop.Stats;
            for (int i = 0; i < 10_000; i++)
            {
                // Later than all others, sooner than all others, and due.
                timers[i % 100].Arm(TimeSpan.FromSeconds(1_000 + i));
                timers[(i + 1) % 100].Arm(TimeSpan.FromSeconds(999) - (i * Milliseconds(1)));
                timers[(i + 2) % 100].Arm(TimeSpan.Zero);
                timers[(i + 3) % 100].Cancel();
            }

            Array.ForEach(timers, static timer => timer.Cancel());
            return (before, Loop.Stats);
        });
        Assert.Equal(before.SystemCalls, after.SystemCalls);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(1_000)]
    public void T69_TimersArmedForZeroInACallback_FireWithoutASystemCall(int count)
    {
        const int rounds = 100;
        using var done = new ManualResetEventSlim();
        long before = 0, after = 0;
        int fired = 0;
        EventLoopTimer[] timers = [];
        void ArmAll() => Array.ForEach(timers, static timer => timer.Arm(TimeSpan.Zero));
        timers = [.. Enumerable.Range(0, count).Select(_ => NewTimer(() =>
        {
            fired++;
            if (fired == rounds * count)
            {
                after = Loop.Stats.SystemCalls;
                done.Set();
            }
            else if (fired % count == 0)
            {
                ArmAll();
            }
        }))];
        OnLoop(() =>
        {
            before = Loop.Stats.SystemCalls;
            ArmAll();
        });
        Deadline.Wait(done);
        Assert.Equal(before, after);
    }

    [Fact]
    public void T81_ShortDeadline_CostsAtMostTwoTurns()
    {
        const int rounds = 200;
        using var done = new ManualResetEventSlim();
        long before = 0, after = 0;
        int left = rounds;
        EventLoopTimer timer = null!;
        timer = NewTimer(() =>
        {
            if (--left == 0)
            {
                after = Loop.Stats.SystemCalls;
                done.Set();
                return;
            }

            timer.Arm(Milliseconds(0.1));
        });
        OnLoop(() =>
        {
            before = Loop.Stats.SystemCalls;
            timer.Arm(Milliseconds(0.1));
        });
        Deadline.Wait(done);
        timer.Dispose();

        // Each sleeps until its deadline in one call. A sleep that the kernel ended early would be one more.
        Assert.InRange(after - before, 1, 2 * rounds);
    }

    [Fact]
    public void T69_ArmingFromAnotherThread_WakesTheLoopOnceForMany()
    {
        const int count = 1_000;
        EventLoopTimer[] timers = [.. Enumerable.Range(0, count).Select(_ => NewTimer(static () => { }))];
        long writes, before;
        using (new BlockedLoop(Loop))
        {
            before = Loop.Stats.Writes;
            Array.ForEach(timers, static timer => timer.Arm(Hour)); // the loop is not asleep
            writes = Loop.Stats.Writes - before;
        }

        Assert.Equal(0, writes);
        Assert.True(OnLoop(() => timers.All(static timer => timer.IsArmed)));
    }

    [Fact]
    public void ArmedTimerOfAnHour_LetsTheLoopSleep()
    {
        using EventLoopTimer timer = NewTimer(static () => { });
        OnLoop(() => timer.Arm(Hour));
        Loop.WaitUntilAsleep();
        long waits = Loop.Stats.Waits;
        Burn(Milliseconds(300));
        Assert.Equal(waits, Loop.Stats.Waits);
    }
}
