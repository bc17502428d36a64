namespace NativeThreading.Tests;

/// <summary>The counting of the semaphore and its rejections, without a waiting thread.</summary>
public sealed class LifoSemaphoreTests : IDisposable
{
    private readonly LifoSemaphore _semaphore = new();

    public void Dispose() => _semaphore.Dispose();

    public static TheoryData<string> Members() => ["count", "wait", "timed wait", "try", "release"];

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(int.MaxValue)]
    public void InitialCount_IsTheCount(int initial)
    {
        using var semaphore = new LifoSemaphore(initial);
        Assert.Equal(initial, semaphore.CurrentCount);
        Assert.Equal(initial != 0, semaphore.TryWait());
    }

    [Fact]
    public void PermitsAreCounted()
    {
        Assert.False(_semaphore.TryWait());
        _semaphore.Release();
        _semaphore.Release(3);
        Assert.Equal(4, _semaphore.CurrentCount);

        Assert.True(_semaphore.TryWait());
        Assert.True(_semaphore.Wait(TimeSpan.Zero));
        Assert.True(_semaphore.Wait(Timeout.InfiniteTimeSpan));
        _semaphore.Wait();
        Assert.Equal(0, _semaphore.CurrentCount);
        Assert.False(_semaphore.TryWait());
        Assert.False(_semaphore.Wait(TimeSpan.Zero));
    }

    [Fact]
    public void TooManyPermits_AddNone()
    {
        _semaphore.Release(int.MaxValue);
        Assert.Throws<SemaphoreFullException>(() => _semaphore.Release());
        Assert.Throws<SemaphoreFullException>(() => _semaphore.Release(int.MaxValue));
        Assert.Equal(int.MaxValue, _semaphore.CurrentCount);

        Assert.True(_semaphore.TryWait());
        Assert.Throws<SemaphoreFullException>(() => _semaphore.Release(2));
        _semaphore.Release();
        Assert.Equal(int.MaxValue, _semaphore.CurrentCount);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void NegativeInitialCount_IsRefused(int initial) =>
        Assert.Equal("initialCount", Assert.Throws<ArgumentOutOfRangeException>(() => new LifoSemaphore(initial)).ParamName);

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void ReleaseOfLessThanOne_IsRefused(int count)
    {
        Assert.Equal("count", Assert.Throws<ArgumentOutOfRangeException>(() => _semaphore.Release(count)).ParamName);
        Assert.Equal(0, _semaphore.CurrentCount);
    }

    [Fact]
    public void NegativeTimeout_IsRefused_AndTheLargestIsNot()
    {
        Assert.Equal("timeout", Assert.Throws<ArgumentOutOfRangeException>(() => _semaphore.Wait(TimeSpan.FromTicks(-1))).ParamName);
        Assert.Equal("timeout", Assert.Throws<ArgumentOutOfRangeException>(() => _semaphore.Wait(TimeSpan.MinValue)).ParamName);

        _semaphore.Release();
        Assert.True(_semaphore.Wait(TimeSpan.MaxValue));
    }

    [Theory]
    [MemberData(nameof(Members))]
    public void T91_Disposed_EveryMemberThrows(string member)
    {
        _semaphore.Release(2);
        _semaphore.Dispose();
        _semaphore.Dispose();

        Assert.Throws<ObjectDisposedException>(() =>
        {
            switch (member)
            {
                case "count":
                    _ = _semaphore.CurrentCount;
                    break;
                case "wait":
                    _semaphore.Wait();
                    break;
                case "timed wait":
                    _semaphore.Wait(TimeSpan.Zero);
                    break;
                case "try":
                    _semaphore.TryWait();
                    break;
                default:
                    _semaphore.Release();
                    break;
            }
        });
    }
}
