using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

public sealed class PercentilesTests
{
    [Theory]
    [InlineData(0, 1)]
    [InlineData(0.5, 51)]
    [InlineData(0.99, 100)]
    [InlineData(0.999, 100)]
    [InlineData(1, 100)]
    public void OfAHundredValues_InAnyOrder(double share, double expected) =>
        Assert.Equal(expected, new Percentiles(Enumerable.Range(1, 100).Select(static i => (double)i).Reverse()).At(share));

    [Fact]
    public void OfOneValue_AreThatValue() => Assert.Equal(7, new Percentiles([7]).At(0.99));

    [Fact]
    public void OfNone_AreZero() => Assert.Equal(0, new Percentiles([]).At(0.5));
}
