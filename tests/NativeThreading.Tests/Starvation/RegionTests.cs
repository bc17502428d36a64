using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Code that says that it will block.</summary>
public sealed class RegionTests : StarvationTest
{
    [Fact]
    public void Region_LetsAnotherWorkerRunAtOnce_WithoutAnyProof()
    {
        using var meter = new PoolMeter("region"); // a name of its own: the meter knows pools by their names
        NativeThreadPool pool = NewPool(1, static options => options.Name = "region");
        using var ran = new ManualResetEventSlim();
        pool.OnWorker(() =>
        {
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            using (NativeThreadPool.EnterBlockingRegion())
            {
                // It computes: the monitor could not find it blocked. Only the region counts.
                while (!ran.IsSet)
                {
                    Thread.SpinWait(10);
                }

                Assert.Equal((1, 2), (pool.BlockedThreadCount, pool.ThreadCount));
            }

            Assert.Equal(0, pool.BlockedThreadCount);
        });
        Assert.Equal(0, meter.Injected);
    }

    [Fact]
    public void Region_ThatBeginsBeforeTheItemIsQueued_ServesItToo()
    {
        NativeThreadPool pool = NewPool(1);
        pool.OnWorker(() =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                using var ran = new ManualResetEventSlim();
                pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
                Deadline.Wait(ran);
            }
        });
    }

    [Fact]
    public void T5_RequestThatComesWhenTheRegionIsOver_HasItsItemWatched()
    {
        NativeThreadPool pool = NewPool(1);
        pool.OnWorker(() =>
        {
            // A producer has published and read the word, and loses its CPU before it asks.
            Action ask;
            using var ran = new ManualResetEventSlim();
            using (NativeThreadPool.EnterBlockingRegion())
            {
                ask = pool.Probe.PublishAndAskLater(ran.Set);
            }

            ask();
            Deadline.Wait(ran);
        });
    }

    [Fact]
    public void Regions_Nest_AndOnlyTheOutermostCounts()
    {
        NativeThreadPool pool = NewPool(2);
        pool.OnWorker(() =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    Assert.Equal(1, pool.BlockedThreadCount);
                }

                Assert.Equal(1, pool.BlockedThreadCount);
            }

            Assert.Equal(0, pool.BlockedThreadCount);
            Assert.Throws<InvalidOperationException>(Throw);
            Assert.Equal(0, pool.BlockedThreadCount);
        });
    }

    private static void Throw()
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            throw new InvalidOperationException();
        }
    }

    [Fact]
    public void Region_OffOurWorkers_DoesNothing()
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            Assert.Null(NativeThreadPool.Current);
        }

        Deadline.Wait(Task.Run(static () =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
            }
        }));
        default(BlockingRegion).Dispose();
    }

    [Fact]
    public void Regions_BoundByMaxBlockedThreads_DoNotAddThreadsBeyondIt()
    {
        NativeThreadPool pool = NewPool(1, options => options.MaxBlockedThreads = 3);
        using var inside = new SemaphoreSlim(0);
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(10);
        for (int i = 0; i < 10; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    using (NativeThreadPool.EnterBlockingRegion())
                    {
                        inside.Release();
                        release.Wait(Deadline.Time);
                    }

                    left.Signal();
                },
                null);
        }

        for (int i = 0; i < 4; i++)
        {
            Deadline.Wait(inside);
        }

        AwaitLooks(pool, 10);
        Assert.Equal((4, 0), (pool.ThreadCount, inside.CurrentCount));
        release.Set();
        Deadline.Wait(left);
    }

    [Fact]
    public void EnteringAndLeaving_ManyTimesOnAllWorkers_KeepsTheCountsExact()
    {
        NativeThreadPool pool = NewPool(4);
        using var left = new CountdownEvent(4_000);
        for (int i = 0; i < 4_000; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    using (NativeThreadPool.EnterBlockingRegion())
                    {
                        Thread.Yield();
                    }

                    left.Signal();
                },
                null);
        }

        Deadline.Wait(left);
        pool.WaitUntilQuiet();
        Assert.Equal(0, pool.BlockedThreadCount);
    }
}
