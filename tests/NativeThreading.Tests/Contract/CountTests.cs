using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>The three counts of a pool.</summary>
public sealed class CountTests
{
    [Fact]
    public void UnusedPool_HasNothing()
    {
        using var pool = new NativeThreadPool();
        Assert.Equal((0, 0L, 0L), (pool.ThreadCount, pool.PendingWorkItemCount, pool.CompletedWorkItemCount));
    }

    [Fact]
    public void PendingCount_IsWhatWaitsBehindBlockedWorkers()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using (new BlockedWorkers(pool, 2))
        {
            for (int i = 1; i <= 500; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, null);
                Assert.Equal(i, pool.PendingWorkItemCount);
            }
        }

        pool.WaitUntilQuiet();
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public void PendingCount_IncludesWhatABlockedWorkerQueued()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Assert.Equal(30, pool.OnWorker(() =>
        {
            for (int i = 0; i < 10; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, (object?)null, preferLocal: true);
                pool.UnsafeQueueUserWorkItem(static _ => { }, (object?)null, preferLocal: false);
                pool.Run(static () => { });
            }

            return pool.PendingWorkItemCount;
        }));
    }

    [Fact]
    public void CompletedCount_IsExactOnceThePoolIsQuiet()
    {
        using NativeThreadPool pool = Pools.WithThreads(4);
        StartGate.Run(4, _ =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            }
        });
        pool.WaitUntilQuiet();
        Assert.Equal(40_000, pool.CompletedWorkItemCount);
    }

    [Fact]
    public void T43_CompletedCount_SurvivesThreadChurn()
    {
        // Each round lets all threads retire, so that every worker's count is handed over many times.
        const int rounds = 5;
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 4, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        for (int round = 1; round <= rounds; round++)
        {
            using (new BlockedWorkers(pool, 4))
            {
                for (int i = 0; i < 96; i++)
                {
                    pool.UnsafeQueueUserWorkItem(static _ => { }, null);
                }
            }

            Deadline.Until(() => pool.ThreadCount == 0);
            Assert.Equal(100 * round, pool.CompletedWorkItemCount);
        }
    }

    [Fact]
    public void ThreadCount_IsNotAboveMaxThreads()
    {
        using var ran = new CountdownEvent(10_000);
        using NativeThreadPool pool = Pools.WithThreads(3);
        int most = 0;
        for (int i = 0; i < 10_000; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            most = Math.Max(most, pool.ThreadCount);
        }

        Deadline.Wait(ran);
        Assert.InRange(most, 1, 3);
    }
}
