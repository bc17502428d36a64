using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>A timer by itself: armed from the loop's thread or from another one, it fires once for what it was armed for last.</summary>
public sealed class OneTimerTests : TimerTest
{
    private int _fired;

    [Fact]
    public void NewTimer_IsNotArmed()
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        Assert.Same(Loop, timer.Loop);
        Assert.False(timer.IsArmed);
        PassDueTimers();
        Assert.Equal(0, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void FiresOnTheLoop_WithItsState(bool armedOnLoop)
    {
        using var fired = new ManualResetEventSlim();
        object state = new();
        object? seen = null;
        EventLoop? where = null;
        using var timer = new EventLoopTimer(
            Loop,
            given =>
            {
                (seen, where) = (given, EventLoop.Current);
                fired.Set();
            },
            state);
        Arm(armedOnLoop, () => timer.Arm(Milliseconds(1)));
        Deadline.Wait(fired);
        Assert.Same(state, seen);
        Assert.Same(Loop, where);
    }

    [Theory, CombinatorialBooleans]
    public void FiresOnce(bool armedOnLoop, bool atOnce)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        Arm(armedOnLoop, () => timer.Arm(atOnce ? TimeSpan.Zero : Milliseconds(1)));
        Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        PassDueTimers();
        Assert.Equal(1, _fired);
        Assert.False(timer.IsArmed);
    }

    [Theory, CombinatorialBooleans]
    public void ArmedTwice_FiresOnceAtTheSecondDueTime(bool armedOnLoop, bool sooner)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        WhileNothingFires(armedOnLoop, () =>
        {
            timer.Arm(sooner ? Hour : TimeSpan.Zero);
            timer.Arm(sooner ? Milliseconds(1) : Hour);
        });
        if (sooner)
        {
            Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        }

        PassDueTimers();
        Assert.Equal(sooner ? 1 : 0, _fired);
        Assert.Equal(!sooner, timer.IsArmed);
    }

    [Theory, CombinatorialBooleans]
    public void FiresAgain_EachTimeItIsArmedAfterwards(bool armedOnLoop)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        for (int i = 1; i <= 50; i++)
        {
            Arm(armedOnLoop, () => timer.Arm(Milliseconds(i % 3 / 4.0)));
            Deadline.Until(() => Volatile.Read(ref _fired) == i);
        }

        PassDueTimers();
        Assert.Equal(50, _fired);
    }

    [Theory, CombinatorialBooleans]
    public void Cancelled_DoesNotFire_UntilItIsArmedAgain(bool fromLoop)
    {
        using EventLoopTimer timer = NewTimer(() => _fired++);
        Arm(fromLoop, timer.Cancel); // not armed: nothing happens
        WhileNothingFires(fromLoop, () =>
        {
            timer.Arm(TimeSpan.Zero);
            timer.Cancel();
            timer.Cancel();
        });
        Assert.False(timer.IsArmed);
        PassDueTimers();
        Assert.Equal(0, _fired);

        Arm(fromLoop, () => timer.Arm(TimeSpan.Zero));
        Deadline.Until(() => Volatile.Read(ref _fired) == 1);
    }

    [Theory, CombinatorialBooleans]
    public void Disposed_DoesNotFire_AndCannotBeArmed(bool fromLoop)
    {
        EventLoopTimer timer = NewTimer(() => _fired++);
        WhileNothingFires(fromLoop, () =>
        {
            timer.Arm(TimeSpan.Zero);
            timer.Dispose();
            timer.Dispose();
            timer.Cancel();
            Assert.False(timer.IsArmed);
            Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero));
            Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero, Hour));
        });
        PassDueTimers();
        Assert.Equal(0, _fired);
        Assert.False(timer.IsArmed);
    }

    private void Arm(bool onLoop, Action action)
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

    private void WhileNothingFires(bool onLoop, Action action)
    {
        if (onLoop)
        {
            OnLoop(action);
            return;
        }

        using (new BlockedLoop(Loop))
        {
            action();
        }
    }
}
