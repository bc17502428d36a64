using NativeThreading.Scheduling;
using Xunit;

namespace NativeThreading.Tests.Scheduling;

/// <summary>How many a pass may add for those that it found blocked.</summary>
public sealed class PassSizeTests
{
    [Theory]
    [InlineData(2, 2, 0, 6)]
    [InlineData(2, 1, 0, 3)] // one that is found late counts for itself, whatever the others are found to be
    [InlineData(2, 54, 0, 162)]
    [InlineData(8, 4, 2, 9)]
    public void NobodyGetsOn_ThreeForEachThatIsBlocked(int maxThreads, int blocked, int gettingOn, int beyond) =>
        Assert.Equal(beyond, PassSize.Beyond(maxThreads, blocked, gettingOn));

    [Theory]
    [InlineData(2, 2, 2)]
    [InlineData(2, 64, 5)]
    [InlineData(1, 1, 1)]
    [InlineData(8, 0, 0)]
    public void AsManyGetOnAsMay_OrNobodyIsBlocked_Nobody(int maxThreads, int blocked, int gettingOn) =>
        Assert.Equal(0, PassSize.Beyond(maxThreads, blocked, gettingOn));
}
