using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What holds for most of the last cases.</summary>
public sealed class SaturatingCounterTests
{
    private const int Most = 8;

    [Fact]
    public void Counter_TurnsBehindSoManyCases_AndBackBehindHalfAsMany()
    {
        var counter = new SaturatingCounter(Most);
        Add(counter, isFor: true, Most - 1);
        Assert.False(counter.Holds);
        Add(counter, isFor: true, 100);
        Assert.True(counter.Holds);

        Add(counter, isFor: false, (Most / 2) - 1);
        Assert.True(counter.Holds);
        Add(counter, isFor: false, 1);
        Assert.False(counter.Holds);
    }

    [Theory]
    [InlineData(3, true)] // of four cases for it
    [InlineData(1, false)]
    public void Counter_FollowsWhatHoldsForMostCases(int cases, bool holds)
    {
        var counter = new SaturatingCounter(Most);
        for (int i = 0; i < 100; i++)
        {
            Add(counter, isFor: true, cases);
            Add(counter, isFor: false, 1);
        }

        Assert.Equal(holds, counter.Holds);
    }

    [Fact]
    public void WhatIsForgotten_BeginsAnew()
    {
        var counter = new SaturatingCounter(Most);
        Add(counter, isFor: true, Most);
        counter.Reset();
        Assert.False(counter.Holds);
        Add(counter, isFor: true, Most - 1);
        Assert.False(counter.Holds);
    }

    [Fact]
    public void CasesBehindARefusal_CountForNothing()
    {
        var counter = new SaturatingCounter(Most);
        Add(counter, isFor: true, Most);
        counter.Reset(ignored: 5);
        Add(counter, isFor: false, 1);
        Add(counter, isFor: true, 4 + Most - 1);
        Assert.False(counter.Holds);
        Add(counter, isFor: true, 1);
        Assert.True(counter.Holds);
    }

    private static void Add(SaturatingCounter counter, bool isFor, int times)
    {
        for (int i = 0; i < times; i++)
        {
            counter.Add(isFor);
        }
    }
}
