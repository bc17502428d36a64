using NativeThreading.Tests.Support;

namespace NativeThreading.Tests;

/// <summary>Options out of range are refused by name, with the value and the range (T66).</summary>
public sealed class OptionsTests
{
    public static TheoryData<string, object, string, Action<NativeThreadPoolOptions>> OutOfRange() => new()
    {
        { nameof(NativeThreadPoolOptions.MaxThreads), 0, "between 1 and 32767", o => o.MaxThreads = 0 },
        { nameof(NativeThreadPoolOptions.MaxThreads), -1, "between 1 and 32767", o => o.MaxThreads = -1 },
        { nameof(NativeThreadPoolOptions.MaxThreads), 32_768, "between 1 and 32767", o => o.MaxThreads = 32_768 },
        { nameof(NativeThreadPoolOptions.MinThreads), -1, "between 0 and 4", o => (o.MinThreads, o.MaxThreads) = (-1, 4) },
        { nameof(NativeThreadPoolOptions.MinThreads), 5, "between 0 and 4", o => (o.MinThreads, o.MaxThreads) = (5, 4) },
        { nameof(NativeThreadPoolOptions.IdleTimeout), TimeSpan.Zero, "positive", o => o.IdleTimeout = TimeSpan.Zero },
        { nameof(NativeThreadPoolOptions.IdleTimeout), TimeSpan.FromTicks(-1), "positive", o => o.IdleTimeout = TimeSpan.FromTicks(-1) },
        { nameof(NativeThreadPoolOptions.LingerTime), TimeSpan.FromTicks(-1), "between 0 and 10 ms", o => o.LingerTime = TimeSpan.FromTicks(-1) },
        { nameof(NativeThreadPoolOptions.LingerTime), TimeSpan.FromMilliseconds(11), "between 0 and 10 ms", o => o.LingerTime = TimeSpan.FromMilliseconds(11) },
        { nameof(NativeThreadPoolOptions.ThreadPriority), (ThreadPriority)99, "between Lowest and Highest", o => o.ThreadPriority = (ThreadPriority)99 },
        { nameof(NativeThreadPoolOptions.ThreadPriority), (ThreadPriority)(-1), "between Lowest and Highest", o => o.ThreadPriority = (ThreadPriority)(-1) },
        { nameof(NativeThreadPoolOptions.QueueLimit), 0, "between 1 and 2147483647", o => o.QueueLimit = 0 },
        { nameof(NativeThreadPoolOptions.QueueLimit), -1, "between 1 and 2147483647", o => o.QueueLimit = -1 },
        { nameof(NativeThreadPoolOptions.QueueFullMode), (QueueFullMode)3, "Reject, Wait or RunOnCaller", o => o.QueueFullMode = (QueueFullMode)3 },
        { nameof(NativeThreadPoolOptions.QueueFullMode), (QueueFullMode)(-1), "Reject, Wait or RunOnCaller", o => o.QueueFullMode = (QueueFullMode)(-1) },
        { nameof(NativeThreadPoolOptions.MaxStackSize), 262_143, "0, or between 262144 and 2147483647", o => o.MaxStackSize = 262_143 },
        { nameof(NativeThreadPoolOptions.MaxStackSize), -1, "0, or between 262144 and 2147483647", o => o.MaxStackSize = -1 },
    };

    [Theory]
    [MemberData(nameof(OutOfRange), DisableDiscoveryEnumeration = true)]
    public void T66_OptionOutOfRange_IsRefusedByNameValueAndRange(string name, object value, string range, Action<NativeThreadPoolOptions> set)
    {
        var options = new NativeThreadPoolOptions();
        set(options);
        var exception = Assert.Throws<ArgumentOutOfRangeException>(name, () => new NativeThreadPool(options));
        Assert.Equal(value, exception.ActualValue);
        Assert.Contains(name, exception.Message, StringComparison.Ordinal);
        Assert.Contains(string.Create(null, $"{value}"), exception.Message, StringComparison.Ordinal);
        Assert.Contains(range, exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("  ")]
    public void PoolWithoutAName_IsRefused(string? name)
    {
        var exception = Assert.ThrowsAny<ArgumentException>(() => new NativeThreadPool(new NativeThreadPoolOptions { Name = name! }));
        Assert.Equal(nameof(NativeThreadPoolOptions.Name), exception.ParamName);
    }

    [Fact]
    public void NullOptions_AreRefused() =>
        Assert.Throws<ArgumentNullException>("options", () => new NativeThreadPool(null!));

    [Fact]
    public void ExtremesOfTheRanges_AreAccepted()
    {
        using var least = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            MinThreads = 1,
            IdleTimeout = TimeSpan.FromTicks(1),
            LingerTime = TimeSpan.Zero,
            ThreadPriority = ThreadPriority.Lowest,
            MaxStackSize = 256 * 1024,
            QueueLimit = 1,
        });
        using var most = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = NativeThreadPoolOptions.ThreadLimit,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            LingerTime = TimeSpan.FromMilliseconds(10),
            QueueLimit = int.MaxValue,
        });
        Assert.Equal((1, NativeThreadPoolOptions.ThreadLimit), (least.MinThreads, most.MaxThreads));
        most.OnWorker(() => { });
    }

    [Fact]
    public void Defaults_AreThoseOfTheDocumentation()
    {
        using var pool = new NativeThreadPool();
        Assert.Equal(("native", 0, Environment.ProcessorCount), (pool.Name, pool.MinThreads, pool.MaxThreads));
        Assert.Equal((null, QueueFullMode.Reject), (pool.QueueLimit, pool.QueueFullMode));
        Assert.Equal((TimeSpan.FromSeconds(20), null), (new NativeThreadPoolOptions().IdleTimeout, new NativeThreadPoolOptions().LingerTime));
    }

    [Fact]
    public void OptionsChangedAfterwards_HaveNoEffect()
    {
        var options = new NativeThreadPoolOptions { Name = "before", MaxThreads = 3 };
        using var pool = new NativeThreadPool(options);
        (options.Name, options.MaxThreads) = ("after", 1);
        Assert.Equal(("before", 3), (pool.Name, pool.MaxThreads));
        Assert.StartsWith("before-worker-", pool.OnWorker(() => Thread.CurrentThread.Name), StringComparison.Ordinal);
    }
}
