using System.Diagnostics;
using NativeThreading.Scheduling;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T133: how many items a worker moves at once, by what items have cost.</summary>
public sealed class ItemCostTests
{
    private static readonly long s_microsecond = Stopwatch.Frequency / 1_000_000;

    private ItemCost _cost;
    private long _now = 1;
    private long _completed;

    [Fact]
    public void OfItemsThatNobodyKnows_OneIsMoved() => Assert.Equal(1, _cost.MostPerBatch);

    [Theory]
    [InlineData(0.01, 128)]
    [InlineData(0.1, 60)]
    [InlineData(1, 6)]
    [InlineData(2, 3)]
    [InlineData(6, 1)]
    [InlineData(50, 1)]
    [InlineData(10_000, 1)]
    public void Batch_FitsInto6Microseconds(double cost, int most)
    {
        for (int batch = 0; batch < 20; batch++)
        {
            RunItems(100, cost);
        }

        Assert.Equal(most, _cost.MostPerBatch);
    }

    [Fact]
    public void Batch_GrowsTwofold_AndShrinksAtOnce()
    {
        RunItems(0, 0); // the first call only begins
        foreach (int most in (int[])[2, 4, 8, 16])
        {
            RunItems(10, 0.1);
            Assert.Equal(most, _cost.MostPerBatch);
        }

        RunItems(1, 1_000);
        Assert.Equal(1, _cost.MostPerBatch);
    }

    [Fact]
    public void Pause_IsNotTheTimeOfItems()
    {
        RunItems(0, 0);
        RunItems(10, 0.1);
        _cost.Pause();
        RunItems(0, 1_000_000);
        Assert.Equal(2, _cost.MostPerBatch);
    }

    private void RunItems(int count, double microseconds)
    {
        _now += (long)Math.Round(Math.Max(count, 1) * microseconds * s_microsecond);
        _completed += count;
        _cost.Measure(_now, _completed);
    }
}
