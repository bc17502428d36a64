namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>One warning of a kind in ten seconds; none is lost from the count.</summary>
public sealed class WarningPaceTests
{
    [Fact]
    public async Task FromManyThreads_OneTells_AndTheNextTellsOfAllOthers()
    {
        var time = new StandingTime();
        var pace = new WarningPace(time);
        int told = 0;
        await Deadline.For(Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                if (pace.MayLog(out long _))
                {
                    Interlocked.Increment(ref told);
                }
            }
        }))));
        Assert.Equal(1, told);

        time.Now = TimeSpan.FromSeconds(9.9);
        Assert.False(pace.MayLog(out long suppressed));
        time.Now = TimeSpan.FromSeconds(10);
        Assert.True(pace.MayLog(out suppressed));
        Assert.Equal(8_000, suppressed);
        Assert.False(pace.MayLog(out suppressed));
        time.Now = TimeSpan.FromDays(1);
        Assert.True(pace.MayLog(out suppressed));
        Assert.Equal(1, suppressed);
    }

    private sealed class StandingTime : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => 1_000;

        public override long GetTimestamp() => (long)Now.TotalMilliseconds;
    }
}
