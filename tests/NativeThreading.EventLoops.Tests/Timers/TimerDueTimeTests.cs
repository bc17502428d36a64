using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Due times and periods at the ends of their range and beyond; the loop survives them all.</summary>
public sealed class TimerDueTimeTests : TimerTest
{
    private int _fired;

    [Theory, CombinatorialBooleans]
    public void LongestDueTime_DoesNotFire_AndHoldsUpNobody(bool fromLoop)
    {
        using EventLoopTimer longest = NewTimer(() => _fired++);
        Do(fromLoop, () => longest.Arm(EventLoopTimer.MaxDueTime));
        AssertLoopRuns();
        Assert.Equal(0, _fired);
        Assert.True(longest.IsArmed);
    }

    [Theory, CombinatorialBooleans]
    public void LongestPeriod_FiresOnce_AndStaysArmed(bool fromLoop, bool dueAtOnce)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        Do(fromLoop, () => timer.Arm(dueAtOnce ? TimeSpan.Zero : Milliseconds(1), EventLoopTimer.MaxDueTime));
        Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        AssertLoopRuns();
        Assert.Equal(1, _fired);
        Assert.True(timer.IsArmed);
    }

    [Fact]
    public void ZeroDueTime_FiresInTheNextTurn_NotInTheCallThatArms()
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        OnLoop(() =>
        {
            timer.Arm(TimeSpan.Zero);
            Assert.Equal(0, _fired);
        });
        Deadline.Until(() => Volatile.Read(ref _fired) == 1);
    }

    [Fact]
    public void ShortestPeriod_FiresOften_AndStarvesNobody()
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        OnLoop(() => timer.Arm(TimeSpan.Zero, new TimeSpan(1)));
        Deadline.Until(() => Volatile.Read(ref _fired) > 1_000);
        AssertLoopRuns();
        OnLoop(timer.Cancel);
        int fired = _fired;
        PassDueTimers();
        Assert.Equal(fired, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void OutOfRange_IsRefusedByName_AndChangesNothing(bool fromLoop, bool isArmed)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        Do(fromLoop, () =>
        {
            if (isArmed)
            {
                timer.Arm(Hour);
            }

            foreach (TimeSpan wrong in (ReadOnlySpan<TimeSpan>)[
                new(-1), Timeout.InfiniteTimeSpan, TimeSpan.MinValue, EventLoopTimer.MaxDueTime + new TimeSpan(1), TimeSpan.MaxValue])
            {
                var refusal = Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => timer.Arm(wrong));
                Assert.Contains(wrong.ToString(), refusal.Message, StringComparison.Ordinal);
                Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => timer.Arm(wrong, Hour));
                Assert.Throws<ArgumentOutOfRangeException>("period", () => timer.Arm(Hour, wrong));
            }

            Assert.Throws<ArgumentOutOfRangeException>("period", () => timer.Arm(Hour, TimeSpan.Zero));
        });
        AssertLoopRuns();
        Assert.Equal(0, _fired);
        Assert.Equal(isArmed, timer.IsArmed);
    }

    [Fact]
    public void NullArguments_AreRefusedByName()
    {
        Assert.Throws<ArgumentNullException>("loop", () => new EventLoopTimer(null!, static _ => { }, null));
        Assert.Throws<ArgumentNullException>("callback", () => new EventLoopTimer(Loop, null!, null));

        // Neither object has anything to give back, which its finalizer has to know.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        AssertLoopRuns();
    }

    private void Do(bool onLoop, Action action)
    {
        if (onLoop)
        {
            OnLoop(action);
        }
        else
        {
            action();
        }
    }

    private void AssertLoopRuns()
    {
        using var fired = new ManualResetEventSlim();
        using EventLoopTimer soon = NewTimer(fired.Set);
        soon.Arm(Milliseconds(1));
        Deadline.Wait(fired, "a timer of 1 ms next to the one of the test");
    }
}
