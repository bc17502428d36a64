using NativeThreading.Diagnostics;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>Percentiles of a histogram.</summary>
public sealed class QueueWaitsTests
{
    [Fact]
    public void Percentiles_LieWithinTheirBuckets()
    {
        QueueWaits waits = Of((2, 50), (5, 50)); // 2 to 5 us, and 20 to 50 us
        Assert.InRange(waits.Percentile(0.25).TotalMicroseconds, 2, 5);
        Assert.InRange(waits.Percentile(0.75).TotalMicroseconds, 20, 50);
        Assert.Equal(50, waits.Percentile(1).TotalMicroseconds, 1);
        Assert.True(waits.Percentile(0.9) < waits.Percentile(0.99));
    }

    [Fact]
    public void WaitsBeyondTheLastBound_AreThatLong() =>
        Assert.Equal(QueueWaits.Bounds[^1], Of((QueueWaits.Bounds.Count, 1)).Percentile(0.5));

    [Fact]
    public void NoItems_HaveWaitedForNothing() => Assert.Equal(TimeSpan.Zero, Of().Percentile(0.99));

    [Theory]
    [InlineData(-0.1)]
    [InlineData(1.1)]
    [InlineData(double.NaN)]
    public void ShareOutOfRange_IsRefused(double share) => Assert.Throws<ArgumentOutOfRangeException>(nameof(share), () => Of().Percentile(share));

    private static QueueWaits Of(params (int Bucket, long Count)[] filled)
    {
        long[] counts = new long[QueueWaits.Bounds.Count + 1];
        Array.ForEach(filled, bucket => counts[bucket.Bucket] = bucket.Count);
        return new QueueWaits(counts);
    }
}
