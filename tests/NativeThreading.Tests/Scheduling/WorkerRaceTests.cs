using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Workers that come, block, leave and hand over while items are queued.</summary>
[Trait("Category", "Race")]
public sealed class WorkerRaceTests
{
    /// <summary>Every worker retires at once, so that each item may meet one that is about to leave (T16, T39).</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void T16_WorkersThatRetireAtOnce_LeaveNoItem(int threads)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = threads, IdleTimeout = TimeSpan.FromMicroseconds(10) });
        foreach (int round in RaceTime.Rounds())
        {
            const int producers = 2;
            int items = 1 + (round % 8);
            using var ran = new CountdownEvent(2 * producers * items);
            StartGate.Run(producers, _ =>
            {
                for (int i = 0; i < items; i++)
                {
                    pool.UnsafeQueueUserWorkItem(
                        _ =>
                        {
                            pool.UnsafeQueueUserWorkItem<object?>(_ => ran.Signal(), null, preferLocal: true);
                            ran.Signal();
                        },
                        null);
                    Thread.SpinWait(round % 50 * 10);
                }
            });
            RaceTime.WaitSoon(ran, $"the items of round {round}");
        }
    }

    /// <summary>An item waits for a later one: the pool has to find a thread, although a worker goes idle or leaves just then.</summary>
    [Fact]
    public void ItemsThatWaitForEachOther_AlwaysFindAnotherWorker()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        foreach (int round in RaceTime.Rounds())
        {
            using var met = new ManualResetEventSlim();
            using var done = new CountdownEvent(2);
            bool local = round % 2 == 0;
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    pool.UnsafeQueueUserWorkItem<object?>(
                        _ =>
                        {
                            met.Set();
                            done.Signal();
                        },
                        null,
                        local);
                    Deadline.Wait(met, $"the other item of round {round}");
                    done.Signal();
                },
                null);
            RaceTime.WaitSoon(done, $"the items of round {round}");
        }
    }

    /// <summary>What was accepted waits for the threads there are, or for the next try.</summary>
    [Fact]
    public void ThreadStartsThatFailNowAndThen_LeaveNoItem()
    {
        int starts = 0;
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "failing", MaxThreads = 3, IdleTimeout = TimeSpan.FromMilliseconds(0.1) });
        using var failing = new FailingThreadStarts(name => name.StartsWith("failing", StringComparison.Ordinal) && Interlocked.Increment(ref starts) % 3 == 0);
        foreach (int round in RaceTime.Rounds())
        {
            int accepted = 0;
            int ran = 0;
            StartGate.Run(2, _ =>
            {
                for (int i = 0; i < 4; i++)
                {
                    try
                    {
                        pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
                        Interlocked.Increment(ref accepted);
                    }
                    catch (OutOfMemoryException)
                    {
                        // there was no thread at all: nothing was queued
                    }

                    Thread.SpinWait((round + i) % 40 * 20);
                }
            });
            RaceTime.Soon(() => Deadline.Until(() => Volatile.Read(ref ran) == accepted), $"the items of round {round}");
        }
    }

    /// <summary>Regions open and close, so that workers enter the reserve, are called back and retire.</summary>
    [Fact]
    public void RegionsOpenAndClose_EveryItemRunsAndTheCountsComeOutEven()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 3, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        foreach (int round in RaceTime.Rounds())
        {
            const int items = 8;
            using var ran = new CountdownEvent(2 * items);
            for (int i = 0; i < items; i++)
            {
                int own = i;
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        using (NativeThreadPool.EnterBlockingRegion())
                        {
                            pool.UnsafeQueueUserWorkItem<object?>(_ => ran.Signal(), null, preferLocal: own % 2 == 0);
                            Thread.SpinWait((round + own) % 30 * 30);
                        }

                        ran.Signal();
                    },
                    null);
            }

            RaceTime.WaitSoon(ran, $"the items of round {round}");
            Assert.InRange(pool.ThreadCount, 0, 4);
        }

        pool.WaitUntilQuiet();
        Assert.Equal(0, pool.BlockedThreadCount);
    }

    /// <summary>Items steal from each other, and each runs once.</summary>
    [Fact]
    public void ItemsThatFork_EachRunsOnce()
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        foreach (int round in RaceTime.Rounds())
        {
            const int depth = 6;
            int ran = 0;
            var group = new WorkGroup(pool);
            void Fork(int level)
            {
                Interlocked.Increment(ref ran);
                for (int child = 0; level > 0 && child < 2; child++)
                {
                    group.Queue(Fork, level - 1);
                }
            }

            group.Queue(Fork, depth);
            RaceTime.Soon(() => Assert.True(group.Wait(Deadline.Time)), $"the group of round {round}");
            Assert.Equal((1 << (depth + 1)) - 1, ran);
        }
    }
}
