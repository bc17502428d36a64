using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Threads start when they are needed and go when they are not.</summary>
public sealed class ThreadLifetimeTests
{
    [Fact]
    public void NoThreadStarts_BeforeTheFirstItem()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MinThreads = 2, MaxThreads = 4 });
        Assert.Equal(0, pool.ThreadCount);
        pool.OnWorker(() => { });
        Assert.InRange(pool.ThreadCount, 1, 2);
    }

    [Fact]
    public void ItemsOneAfterTheOther_NeedOneThread()
    {
        using NativeThreadPool pool = Pools.WithThreads(8);
        for (int i = 0; i < 200; i++)
        {
            pool.OnWorker(() => { });
            pool.WaitUntilQuiet();
        }

        Assert.Equal(1, pool.ThreadCount);
    }

    [Theory]
    [InlineData(1)] // one runs: another would be started
    [InlineData(2)] // and one is parked: it would be woken
    public void WhileAWorkerLooks_NobodyElseIsWokenOrStarted(int threads)
    {
        using var ran = new CountdownEvent(2);
        using NativeThreadPool pool = Pools.WithThreads(2);
        new BlockedWorkers(pool, threads).Dispose();
        pool.WaitUntilQuiet();
        using (new BlockedWorkers(pool, 1))
        {
            long wakes = pool.Probe.Wakes;
            pool.Probe.BeginToLook();
            pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            Assert.Equal((threads, wakes, 1), (pool.ThreadCount, pool.Probe.Wakes, pool.PendingWorkItemCount));

            pool.Probe.EndToLook();
            pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            Deadline.Wait(ran);
            Assert.Equal(2, pool.ThreadCount);
        }
    }

    [Fact]
    public void ItemsAtTheSameTime_NeedAsManyThreads()
    {
        using NativeThreadPool pool = Pools.WithThreads(8);
        using (new BlockedWorkers(pool, 8))
        {
            Assert.Equal(8, pool.ThreadCount);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public void IdleThreads_RetireDownToMinThreads(int minThreads)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 6,
            MinThreads = minThreads,
            IdleTimeout = TimeSpan.FromMilliseconds(20),
        });
        for (int round = 0; round < 3; round++)
        {
            new BlockedWorkers(pool, 6).Dispose();
            Assert.InRange(pool.ThreadCount, minThreads, 6);
            Deadline.Until(() => pool.ThreadCount == minThreads);
        }

        // Nothing tells that a thread will not retire: watched for ten times the timeout.
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < TimeSpan.FromMilliseconds(200))
        {
            Assert.Equal(minThreads, pool.ThreadCount);
            Thread.Yield();
        }
    }

    [Fact]
    public void ThreadNumbers_AreUsedAgain()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "again", MaxThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("again-worker-0", pool.OnWorker(() => Thread.CurrentThread.Name));
            Deadline.Until(() => pool.ThreadCount == 0);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void T16_WorkerTimingOut_StillTakesAnItemQueuedAtThatMoment(int maxThreads)
    {
        TimeSpan timeout = TimeSpan.FromMilliseconds(2);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = $"timing-out-{maxThreads}",
            MaxThreads = maxThreads,
            IdleTimeout = timeout,
            LingerTime = TimeSpan.Zero,
        });
        int rounds = 0;
        foreach (int i in Soak.Repeat(205))
        {
            rounds++;
            using var ran = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(static signal => ((ManualResetEventSlim)signal!).Set(), ran);
            Deadline.Wait(ran);

            // The next comes when the timeout is over, give or take 100 us: the moment is what is tested.
            TimeSpan pause = timeout + TimeSpan.FromMicroseconds((i % 41 * 5) - 100);
            for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < pause;)
            {
                Thread.SpinWait(10);
            }
        }

        Assert.InRange(pool.ThreadCount, 0, maxThreads);
        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal((rounds, 0L), (pool.CompletedWorkItemCount, pool.Probe.Repairs));
    }
}
