using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>What can be seen from outside: the meter and the event source.</summary>
public sealed class MetricsTests : StarvationTest
{
    [Fact]
    public void Meter_HasTheInstruments_WithTheirUnits()
    {
        NewPool(1);
        using var meter = new PoolMeter("starve");
        Assert.Equal("{thread}", meter.Units["native_threading.pool.thread.blocked"]);
        Assert.Equal("{thread}", meter.Units["native_threading.pool.thread.injected"]);
        Assert.Equal("s", meter.Units["native_threading.pool.starvation.duration"]);
        Assert.Equal("{recovery}", meter.Units["native_threading.pool.watchdog.recoveries"]);
    }

    [Fact]
    public void BlockedAndInjected_AreCounted()
    {
        using var log = new EventLog();
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2);
        using (new BlockedWorkers(pool, 10))
        {
            // Some threads are started ahead, and blocked before the monitor has proven it. It proves that a thread is blocked when an item waits.
            Deadline.Until(
                () =>
                {
                    pool.OnWorker(static () => { });
                    return meter["thread.blocked"] >= 8;
                },
                "all are proven blocked but as many as may run");
            Assert.InRange(meter["thread.blocked"], 8, 10);

            // Not one for each: between the proof and the start of another thread a producer may ask for one in the ordinary way.
            Deadline.Until(() => meter.Injected >= 1, "some have been replaced, and that is counted once a thread has started");
        }

        pool.WaitUntilQuiet();
        AwaitMonitorsEnd(pool);
        Deadline.Until(() => meter["thread.blocked"] == 0);
        int Sum(string field) => log.Of("ThreadsInjected", "starve").Sum(e => (int)e.Payload![e.PayloadNames!.IndexOf(field)]!);
        Assert.Equal(meter.Injected, Sum("added"));
        Assert.InRange(Sum("blocked"), 1, 40);
        Assert.Equal(0, meter["watchdog.recoveries"]);
    }

    [Fact]
    public void Starvation_IsTimed_WhereNobodyMayBeReplaced()
    {
        // If a thread is started, there may be no moment at which all wait: a thread that starts and lacks a processor gets on.
        using var log = new EventLog();
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2, options => options.MaxBlockedThreads = 0);
        using (var blocked = new BlockedWorkers(pool, 2))
        {
            blocked.AwaitSleep();
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Deadline.Until(() => meter["thread.blocked"] == 2, "the monitor, which looks at other pools as well, has proven both blocked");
            AwaitLooks(pool, 10); // a millisecond apart and more: far longer than what counts as starvation
            Assert.True(pool.Probe.IsMonitored, "An item waits, and the pool is not monitored.");
        }

        pool.WaitUntilQuiet();
        AwaitMonitorsEnd(pool);
        Assert.InRange(meter["starvation.duration"], 0.002, 30);
        Assert.NotEmpty(log.Of("StarvationEnded", "starve"));
    }

    [Fact]
    public void BlockedThreadsOfAPoolThatEnds_AreTakenBackFromTheMeter()
    {
        using var meter = new PoolMeter("starve-end");
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve-end", MaxThreads = 1 });
        var block = new BlockedWorkers(pool, 5);
        pool.OnWorker(static () => { });
        Assert.NotEqual(0, meter["thread.blocked"]);
        using var cancelled = new CancellationTokenSource();
        Task<long> stopped = pool.ShutdownAsync(cancelled.Token);
        cancelled.Cancel();
        Deadline.Wait(stopped);
        block.Dispose();
        Deadline.Until(() => meter["thread.blocked"] == 0 && pool.ThreadCount == 0);
    }
}
