using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.Tests.SoakCommand;

/// <summary>No phase of a soak may last longer than its deadline; what counts is the time the process was allowed to run.</summary>
public sealed class DeadlinesTests
{
    private readonly PhaseTimes _times = new();
    private readonly SoakClock _clock;
    private readonly Deadlines _deadlines;
    private TimeSpan _now;

    public DeadlinesTests()
    {
        _clock = new SoakClock(() => _now);
        _deadlines = new Deadlines(_clock, _times);
    }

    [Fact]
    public void PhaseBeyondItsDeadline_IsReported()
    {
        PhaseWatch track = _deadlines.Watch("m0");
        track.Enter("shutdown", TimeSpan.FromSeconds(30));
        _now = TimeSpan.FromSeconds(30);
        Assert.Null(_deadlines.FindOverdue());
        _now = TimeSpan.FromSeconds(30.5);
        Assert.Equal("m0: shutdown has lasted 30.5 s; its deadline is 30 s", _deadlines.FindOverdue());
    }

    [Fact]
    public void PhaseThatEnded_IsNot()
    {
        PhaseWatch track = _deadlines.Watch("m0");
        track.Enter("shutdown", TimeSpan.FromSeconds(1));
        track.Enter("balance", TimeSpan.FromSeconds(9));
        _now = TimeSpan.FromSeconds(5);
        Assert.Null(_deadlines.FindOverdue());
        track.Leave();
        _now = TimeSpan.FromHours(1);
        Assert.Null(_deadlines.FindOverdue());
    }

    [Fact]
    public void OfSeveral_TheOneThatIsLongestOverdueIsNamed()
    {
        _deadlines.Watch("a").Enter("create", TimeSpan.FromSeconds(1));
        _deadlines.Watch("b").Enter("create", TimeSpan.FromSeconds(3));
        _deadlines.Watch("c").Enter("create", TimeSpan.FromSeconds(90));
        _now = TimeSpan.FromSeconds(10);
        Assert.StartsWith("a: create", _deadlines.FindOverdue(), StringComparison.Ordinal);
    }

    [Fact]
    public void TimeInWhichTheProcessWasStopped_DoesNotCount()
    {
        _deadlines.Watch("m0").Enter("shutdown", TimeSpan.FromSeconds(30));
        _now = TimeSpan.FromSeconds(40);
        _clock.WasStopped(TimeSpan.FromSeconds(15));
        Assert.Null(_deadlines.FindOverdue());
        _now = TimeSpan.FromSeconds(46);
        Assert.NotNull(_deadlines.FindOverdue());
    }

    [Fact]
    public void TimesOfPhases_AreCollected_QuantilesWithinATenth()
    {
        PhaseWatch track = _deadlines.Watch("m0");
        for (int i = 1; i <= 1_000; i++)
        {
            track.Enter("shutdown", TimeSpan.FromSeconds(30));
            _now += TimeSpan.FromMicroseconds(i);
            track.Leave();
        }

        PhaseTime time = Assert.Single(_times.All);
        Assert.Equal(("shutdown", 1_000L, TimeSpan.FromMilliseconds(1)), (time.Name, time.Count, time.Worst));
        Assert.InRange(time.Median.TotalMicroseconds, 500, 550);
        Assert.InRange(time.P99.TotalMicroseconds, 990, 1_000);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(1_000_000)]
    [InlineData(3_600_000_000)]
    public void QuantileOfOneTime_IsThatTime(long microseconds)
    {
        _times.Add("phase", TimeSpan.FromMicroseconds(microseconds));
        Assert.Equal(TimeSpan.FromMicroseconds(microseconds), _times.Of("phase")!.P99);
    }
}
