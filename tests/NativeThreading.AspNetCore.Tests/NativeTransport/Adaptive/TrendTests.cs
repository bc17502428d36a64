using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What holds for most of the last cases.</summary>
public sealed class TrendTests
{
    private const int Most = 8;

    [Fact]
    public void Trend_TurnsBehindSoManyCases_AndBackBehindHalfAsMany()
    {
        var trend = new Trend(Most);
        Add(trend, isFor: true, Most - 1);
        Assert.False(trend.Holds);
        Add(trend, isFor: true, 100);
        Assert.True(trend.Holds);

        Add(trend, isFor: false, (Most / 2) - 1);
        Assert.True(trend.Holds);
        Add(trend, isFor: false, 1);
        Assert.False(trend.Holds);
    }

    [Theory]
    [InlineData(3, true)] // of four cases for it
    [InlineData(1, false)]
    public void Trend_FollowsWhatHoldsForMostCases(int cases, bool holds)
    {
        var trend = new Trend(Most);
        for (int i = 0; i < 100; i++)
        {
            Add(trend, isFor: true, cases);
            Add(trend, isFor: false, 1);
        }

        Assert.Equal(holds, trend.Holds);
    }

    [Fact]
    public void WhatIsForgotten_BeginsAnew()
    {
        var trend = new Trend(Most);
        Add(trend, isFor: true, Most);
        trend.Forget();
        Assert.False(trend.Holds);
        Add(trend, isFor: true, Most - 1);
        Assert.False(trend.Holds);
    }

    [Fact]
    public void CasesBehindARefusal_CountForNothing()
    {
        var trend = new Trend(Most);
        Add(trend, isFor: true, Most);
        trend.Forget(unheard: 5);
        Add(trend, isFor: false, 1);
        Add(trend, isFor: true, 4 + Most - 1);
        Assert.False(trend.Holds);
        Add(trend, isFor: true, 1);
        Assert.True(trend.Holds);
    }

    private static void Add(Trend trend, bool isFor, int times)
    {
        for (int i = 0; i < times; i++)
        {
            trend.Add(isFor);
        }
    }
}
