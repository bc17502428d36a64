using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Makes pools that heal, and looks at each one when the test is over: it must have come to rest.</summary>
public abstract class StarvationTest : IDisposable
{
    private readonly List<NativeThreadPool> _pools = [];

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        foreach (NativeThreadPool pool in _pools)
        {
            pool.WaitUntilQuiet();
            Deadline.Until(() => pool.BlockedThreadCount == 0, "no thread counts as blocked");
            Assert.Equal(0, pool.Probe.Repairs);
            Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        }
    }

    /// <summary>A pool that replaces blocked threads; its threads stay.</summary>
    protected NativeThreadPool NewPool(int maxThreads, Action<NativeThreadPoolOptions>? configure = null)
    {
        var options = new NativeThreadPoolOptions
        {
            Name = "starve",
            MaxThreads = maxThreads,
            MinThreads = maxThreads,
            IdleTimeout = Timeout.InfiniteTimeSpan,
        };
        configure?.Invoke(options);
        var pool = new NativeThreadPool(options);
        _pools.Add(pool);
        return pool;
    }

    /// <summary>Waits until the monitor has no pool; then it has done all that it was going to do.</summary>
    protected static void AwaitMonitorsEnd(NativeThreadPool pool) =>
        Deadline.Until(() => !pool.Probe.IsMonitored, "the monitor gives the pool back");

    /// <summary>Waits until so many samples of this pool by the monitor are complete, or for the other condition; the monitor has made its decisions by then.</summary>
    /// <remarks>Samples of other pools do not count: there are many while other tests run. The monitor has to have the pool for as long: an
    /// item waits, and no worker is idle.</remarks>
    protected static void AwaitLooks(NativeThreadPool pool, int looks, Func<bool>? orElse = null)
    {
        long until = pool.Probe.Looks + looks + 2; // the last one has to end, and a visit that begins counts as one
        Deadline.Until(() => pool.Probe.Looks >= until || orElse?.Invoke() == true, $"{looks} looks of the monitor at the pool");
    }

    protected static void Spin(TimeSpan time)
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < time)
        {
            Thread.SpinWait(5);
        }
    }
}
