using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>What a provider's timer does.</summary>
public abstract class TimeProviderTimerContract<TTimers> : TimeProviderContract<TTimers>
    where TTimers : ITimersUnderTest, new()
{
    private int _fired;

    private void Fire() => Interlocked.Increment(ref _fired);

    [Fact]
    public void OneShot_FiresOnceWithItsState()
    {
        object state = new();
        object? seen = null;
        using var fired = new ManualResetEventSlim();
        using ITimer timer = Provider.CreateTimer(
            given =>
            {
                seen = given;
                Fire();
                fired.Set();
            },
            state,
            TimeSpan.FromMilliseconds(1),
            Timeout.InfiniteTimeSpan);
        Deadline.Wait(fired);
        PassDueTimers();
        Assert.Equal(1, _fired);
        Assert.Same(state, seen);
    }

    [Fact]
    public void ZeroPeriod_FiresOnce()
    {
        using ITimer timer = NewTimer(Fire, TimeSpan.Zero, TimeSpan.Zero);
        Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        PassDueTimers();
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void InfiniteDueTime_DoesNotFire_UntilItIsChanged()
    {
        using ITimer timer = NewTimer(Fire, Timeout.InfiniteTimeSpan, TimeSpan.FromMilliseconds(1));
        PassDueTimers();
        Assert.Equal(0, _fired);
        Assert.True(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        Deadline.Until(() => Volatile.Read(ref _fired) != 0);
        PassDueTimers();
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void Period_FiresUntilItIsChanged_NeverEarly()
    {
        long started = Stopwatch.GetTimestamp();
        var period = TimeSpan.FromMilliseconds(10);
        using ITimer timer = NewTimer(Fire, period, period);
        Deadline.Until(() => Volatile.Read(ref _fired) >= 10);
        Assert.True(Stopwatch.GetElapsedTime(started) >= (10 * period) - Resolution);
        Assert.True(timer.Change(Timeout.InfiniteTimeSpan, period));
        PassDueTimers(); // what was firing at that moment
        int fired = Volatile.Read(ref _fired);
        PassDueTimers();
        Assert.Equal(fired, _fired);
    }

    [Fact]
    public void Change_ReplacesWhatWasArmed()
    {
        using ITimer timer = NewTimer(Fire, Hour, Timeout.InfiniteTimeSpan);
        Assert.True(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        Deadline.Until(() => Volatile.Read(ref _fired) == 1);

        TimeSpan soon = TimeSpan.FromMilliseconds(100);
        long began;
        do
        {
            began = Stopwatch.GetTimestamp();
            Assert.True(timer.Change(soon, Timeout.InfiniteTimeSpan));
            Assert.True(timer.Change(Hour, Timeout.InfiniteTimeSpan));
        }
        while (Stopwatch.GetElapsedTime(began) >= soon / 2); // it may have fired in between

        PassDueTimers();
        int fired = Volatile.Read(ref _fired);
        using var passed = new ManualResetEventSlim();
        using ITimer witness = NewTimer(passed.Set, soon + Resolution, Timeout.InfiniteTimeSpan);
        Deadline.Wait(passed);
        Assert.Equal(fired, _fired);
    }

    [Fact]
    public void ChangeInItsCallback_ArmsItAgain()
    {
        ITimer? timer = null;
        using var done = new ManualResetEventSlim();
        timer = NewTimer(
            () =>
            {
                if (++_fired == 5)
                {
                    done.Set();
                    return;
                }

                Assert.True(timer!.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
            },
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Deadline.Wait(done);
        timer.Dispose();
        PassDueTimers();
        Assert.Equal(5, _fired);
    }

    [Fact]
    public void ContextOfItsCreator_FlowsToTheCallback()
    {
        var local = new AsyncLocal<string?> { Value = "creator" };
        string? seen = null;
        using var fired = new ManualResetEventSlim();
        using ITimer timer = NewTimer(
            () =>
            {
                seen = local.Value;
                fired.Set();
            },
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        local.Value = "changer";
        timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Deadline.Wait(fired);
        Assert.Equal("creator", seen);
    }

    [Fact]
    public void ClockIsTheSystems()
    {
        Assert.Equal(TimeProvider.System.TimestampFrequency, Provider.TimestampFrequency);
        Assert.Equal(TimeProvider.System.LocalTimeZone, Provider.LocalTimeZone);
        long before = Stopwatch.GetTimestamp(), now = Provider.GetTimestamp();
        Assert.InRange(now, before, Stopwatch.GetTimestamp());
        DateTimeOffset utcBefore = DateTimeOffset.UtcNow, utc = Provider.GetUtcNow();
        Assert.InRange(utc, utcBefore - TimeSpan.FromSeconds(5), utcBefore + TimeSpan.FromSeconds(5)); // it may be set
    }
}

public sealed class LoopTimeProviderTimer : TimeProviderTimerContract<LoopTimersUnderTest>;

public sealed class SystemTimeProviderTimer : TimeProviderTimerContract<SystemTimersUnderTest>;

public sealed class StoppedLoopTimeProviderTimer : TimeProviderTimerContract<StoppedLoopTimersUnderTest>;
