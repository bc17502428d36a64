using System.Diagnostics;

namespace NativeThreading.Tests.Support;

/// <summary>No other test runs during a soak test: it measures how long things take.</summary>
[CollectionDefinition(nameof(SoakTest), DisableParallelization = true)]
public sealed class SoakTestCollection;

/// <summary>
/// Makes pools and looks at each one when the test is over: it must come to rest with an exact state word (T6), and no
/// request may have been lost (T5).
/// </summary>
[Collection(nameof(SoakTest))]
public abstract class SoakTest : IDisposable
{
    /// <summary>
    /// An item for which no worker was woken is found a second later, by the last worker's timed check or by the watchdog of
    /// a later producer. Whatever takes that long was stranded; a machine that stalls a thread for so long is rare.
    /// </summary>
    private static readonly TimeSpan s_stranded = 0.9 * PoolProbe.RequestExpiry;

    private readonly List<(NativeThreadPool Pool, int Repairs)> _pools = [];

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        foreach ((NativeThreadPool pool, int repairs) in _pools)
        {
            Deadline.Until(() => pool.Probe.IsAtRest, () => $"the pool comes to rest ({pool.Probe})");
            Assert.Equal(repairs, pool.Probe.Repairs);
            Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        }
    }

    /// <param name="repairs">How many lost requests the test causes.</param>
    protected NativeThreadPool NewPool(int maxThreads, Action<NativeThreadPoolOptions>? configure = null, int repairs = 0)
    {
        var options = new NativeThreadPoolOptions
        {
            Name = $"s{_pools.Count}",
            MaxThreads = maxThreads,
            MinThreads = maxThreads,
            MaxBlockedThreads = 0, // no worker is replaced unless a test asks for that
        };
        configure?.Invoke(options);
        var pool = new NativeThreadPool(options);
        _pools.Add((pool, repairs));
        return pool;
    }

    /// <summary>A pool whose threads have all been started, and are parked.</summary>
    protected NativeThreadPool NewFullPool(int threads, Action<NativeThreadPoolOptions>? configure = null, int repairs = 0)
    {
        NativeThreadPool pool = NewPool(threads, configure, repairs);
        new BlockedWorkers(pool, threads).Dispose();
        Deadline.Until(() => pool.Probe.IsAtRest, "the started threads park");
        return pool;
    }

    /// <summary>Polls, without ever sleeping, for something that must not take as long as the repair of a lost wake.</summary>
    protected static void AssertSoon(Func<bool> condition, long since)
    {
        for (var spinner = new SpinWait(); !condition(); spinner.SpinOnce(sleep1Threshold: -1))
        {
            Assert.True(Stopwatch.GetElapsedTime(since) < Deadline.Time, "The item did not run at all.");
        }

        TimeSpan taken = Stopwatch.GetElapsedTime(since);
        Assert.True(taken < s_stranded, $"It took {taken.TotalMilliseconds} ms: the item was stranded until something else looked.");
    }

    /// <summary>Occupies the calling thread's processor.</summary>
    protected static void Spin(long ticks)
    {
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetTimestamp() - started < ticks)
        {
            Thread.SpinWait(5);
        }
    }
}
