using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>What CreateTimer and Change accept.</summary>
public abstract class TimeProviderRangeContract<TTimers> : TimeProviderContract<TTimers>
    where TTimers : ITimersUnderTest, new()
{
    [Fact]
    public void NullCallback_IsRefusedByName() =>
        Assert.Throws<ArgumentNullException>("callback", () => Provider.CreateTimer(null!, null, Hour, Hour));

    [Theory, MemberData(nameof(TimerTimes.Accepted), MemberType = typeof(TimerTimes))]
    public void TimesOfTheRange_AreAccepted_AndDoNotFireAtOnce(TimeSpan time)
    {
        int fired = 0;
        using ITimer timer = NewTimer(() => fired++, time, Timeout.InfiniteTimeSpan);
        using ITimer periodic = NewTimer(() => fired++, Hour, time);
        Assert.True(timer.Change(time, time));
        Assert.True(periodic.Change(time, Hour));
        PassDueTimers();
        Assert.Equal(0, fired);
    }

    [Theory, MemberData(nameof(TimerTimes.Refused), MemberType = typeof(TimerTimes))]
    public void TimesBeyondIt_AreRefusedByName_AndChangeNothing(TimeSpan time)
    {
        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => Provider.CreateTimer(static _ => { }, null, time, Hour));
        Assert.Throws<ArgumentOutOfRangeException>("period", () => Provider.CreateTimer(static _ => { }, null, Hour, time));

        using var fired = new ManualResetEventSlim();
        using ITimer timer = NewTimer(fired.Set, 5 * Resolution, Timeout.InfiniteTimeSpan);
        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => timer.Change(time, Hour));
        Assert.Throws<ArgumentOutOfRangeException>("period", () => timer.Change(Hour, time));
        Deadline.Wait(fired, "the timer fires as it was armed");
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(-9_999)] // ticks: not quite a millisecond
    [InlineData(0)]
    [InlineData(1)]
    public void DueTimesOfAboutZero_FireAtOnce(long ticks)
    {
        using var fired = new ManualResetEventSlim();
        using ITimer timer = NewTimer(fired.Set, TimeSpan.FromTicks(ticks), Timeout.InfiniteTimeSpan);
        Deadline.Wait(fired);
    }
}

public sealed class LoopTimeProviderRange : TimeProviderRangeContract<LoopTimersUnderTest>;

public sealed class SystemTimeProviderRange : TimeProviderRangeContract<SystemTimersUnderTest>;

public sealed class StoppedLoopTimeProviderRange : TimeProviderRangeContract<StoppedLoopTimersUnderTest>;

/// <summary>Due times and periods on either side of the ends of the range.</summary>
public static class TimerTimes
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    public static TheoryData<TimeSpan> Accepted =>
    [
        TimeSpan.FromHours(1), s_longest, s_longest + TimeSpan.FromTicks(TimeSpan.TicksPerMillisecond - 1),
        Timeout.InfiniteTimeSpan, TimeSpan.FromMilliseconds(-1.9),
    ];

    public static TheoryData<TimeSpan> Refused =>
    [
        TimeSpan.FromMilliseconds(-2), TimeSpan.FromSeconds(-1), TimeSpan.MinValue,
        s_longest + TimeSpan.FromMilliseconds(1), TimeSpan.MaxValue,
    ];
}
