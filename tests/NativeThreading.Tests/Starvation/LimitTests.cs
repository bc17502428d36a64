using System.Diagnostics;
using System.Diagnostics.Tracing;
using NativeThreading.Starvation;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>How many run, how many may be blocked, and the way back.</summary>
public sealed class LimitTests : StarvationTest
{
    [Fact]
    public void T86_ThousandBlockingItems_GetThreadsUpToTheLimit_AndTheyGoAgain()
    {
        const int items = 1_000;
        const int limit = 100;
        using var log = new EventLog();
        NativeThreadPool pool = NewPool(2, options =>
        {
            options.MaxBlockedThreads = limit;
            options.IdleTimeout = TimeSpan.FromMilliseconds(200);
        });
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(items);
        for (int i = 0; i < items; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    release.Wait(Deadline.Time);
                    left.Signal();
                },
                null);
        }

        Assert.Equal(limit, log.WaitFor("BlockedLimitReached", "starve").Payload![1]);
        Deadline.Until(() => pool.PendingWorkItemCount == items - limit - 2, "each thread up to the limit has taken its item");
        AwaitLooks(pool, 10);
        Assert.Equal((limit + 2, items - limit - 2), (pool.ThreadCount, pool.PendingWorkItemCount));
        release.Set();
        Deadline.Wait(left);
        Deadline.Until(() => pool.ThreadCount == 2, "the surplus retires");
    }

    [Fact]
    public void T86_EveryThreadUpToTheLimitWaitsForAQueuedItem_IsSaidOnceAndMeasured()
    {
        // Nothing can help but a higher limit, or rescue threads. It must not look like a pool that is idle, or merely busy.
        const int threads = 3;
        using var log = new EventLog();
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(1, options => (options.MaxBlockedThreads, options.MaxRescueThreads) = (threads - 1, 0));
        var giveUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var left = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                    pool.UnsafeQueueUserWorkItem(static ran => ran.SetResult(), ran, preferLocal: false);
                    Task.WaitAny([ran.Task, giveUp.Task], Deadline.Time);
                    left.Signal();
                },
                null);
        }

        try
        {
            EventWrittenEventArgs told = log.WaitFor("BlockedLimitReached", "starve");
            Assert.Equal((EventLevel.Error, threads - 1, threads), (told.Level, (int)told.Payload![1]!, (int)told.Payload[2]!));

            // A thread may have been found blocked on its way to the wait, by a compiler that was: it has been told of then, and
            // is again when all of them wait.
            Deadline.Until(() => pool.BlockedThreadCount == threads, "all of them wait");
            AwaitLooks(pool, 10);
            int times = log.Of("BlockedLimitReached", "starve").Count;
            AwaitLooks(pool, 10);
            Assert.Equal(times, log.Of("BlockedLimitReached", "starve").Count);
            Assert.InRange(times, 1, threads);
            Assert.Equal((threads, threads, threads), (pool.ThreadCount, pool.BlockedThreadCount, (int)meter["thread.blocked"]));
            Assert.Equal(threads, pool.PendingWorkItemCount);
        }
        finally
        {
            giveUp.SetResult(); // or this pool starves during all later tests
        }

        Deadline.Wait(left);
        pool.WaitUntilQuiet();
        Deadline.Until(() => meter["starvation.duration"] > 0);
    }

    [Fact]
    public void T86_ZeroBlockedThreads_NobodyIsReplaced()
    {
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2, options => options.MaxBlockedThreads = 0);
        using (new BlockedWorkers(pool, 2))
        {
            using var ran = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            AwaitLooks(pool, 10);
            Assert.False(ran.IsSet);
            Assert.Equal((2, 0), (pool.ThreadCount, meter.Injected));
        }
    }

    [Fact]
    public void WorkersThatCompute_WhereNoneMayBeReplaced_AreNotSaidToBlock()
    {
        using var log = new EventLog();
        int told;
        long waits;
        int attempts = 0;
        do
        {
            NativeThreadPool pool = NewPool(2, options => options.MaxBlockedThreads = 0);
            using var stop = new ManualResetEventSlim();
            long counted = 0;
            int started = 0;
            int before = log.Of("BlockedLimitReached", "starve").Count;
            for (int i = 0; i < 4; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Add(ref counted, Computing.Until(stop, () => Interlocked.Increment(ref started))), null);
                Deadline.Until(() => Volatile.Read(ref started) >= Math.Min(i + 1, 2)); // an item waits only behind two that count
            }

            AwaitLooks(pool, 10);
            stop.Set();
            pool.WaitUntilQuiet();
            AwaitMonitorsEnd(pool);
            told = log.Of("BlockedLimitReached", "starve").Count - before;
            waits = counted;
        }
        while (told != 0 && waits != 0 && ++attempts < 20);

        Assert.True(told == 0, $"told in attempt {attempts}, whose workers waited {waits} times");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void MaxThreads_BoundsWhoRuns_WhenTheBlockedOnesComeBack(int maxThreads)
    {
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(maxThreads);
        const int blocked = 40;
        using (new BlockedWorkers(pool, blocked))
        {
            Assert.InRange(pool.ThreadCount, blocked, 2 * blocked);
        }

        // Those that come back have ended their item; from then on they are too many, and leave before they begin another.
        Deadline.Until(() => pool.BlockedThreadCount == 0 && !pool.Probe.HasOvershoot, "newcomers are expected no more");
        AwaitMonitorsEnd(pool);
        int added = meter.Injected;
        int running = 0, most = 0;
        using var ended = new CountdownEvent(400);
        for (int i = 0; i < 400; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    int now = Interlocked.Increment(ref running);
                    InterlockedMax(ref most, now);
                    Spin(TimeSpan.FromMicroseconds(200));
                    Interlocked.Decrement(ref running);
                    ended.Signal();
                },
                null);
        }

        Deadline.Wait(ended);
        AwaitMonitorsEnd(pool); // an added thread is counted a little later
        added = meter.Injected - added; // for a worker that the runtime made wait
        Assert.InRange(most, 1, maxThreads + added);
    }

    [Fact]
    public void Overshoot_OfNewcomersThatDoNotBlock_IsTakenBack()
    {
        // Many items block, so that newcomers come several for each; then items that compute follow.
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(2);
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(30);
        int running = 0;
        for (int i = 0; i < 30; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    release.Wait(Deadline.Time);
                    left.Signal();
                },
                null);
        }

        using var stop = new ManualResetEventSlim();
        void Compute(object? state)
        {
            Interlocked.Increment(ref running);
            Spin(TimeSpan.FromMilliseconds(1));
            Interlocked.Decrement(ref running);
            if (!stop.IsSet)
            {
                pool.UnsafeQueueUserWorkItem(Compute, null);
            }
        }

        for (int i = 0; i < 64; i++)
        {
            pool.UnsafeQueueUserWorkItem(Compute, null);
        }

        int added = 0, most = 0;
        Deadline.Until(
            () =>
            {
                added = meter.Injected;
                return pool.BlockedThreadCount == 30 && !pool.Probe.HasOvershoot && !pool.Probe.HasSurplus;
            },
            "the overshoot is over");
        for (int i = 0; i < 100; i++)
        {
            most = Math.Max(most, Volatile.Read(ref running));
            Thread.Yield();
        }

        AwaitLooks(pool, 2, () => !pool.Probe.IsMonitored); // an added thread is counted a little later
        added = meter.Injected - added; // for a worker that the runtime made wait
        Assert.InRange(most, 0, 2 + added);
        stop.Set();
        release.Set();
        Deadline.Wait(left);
    }

    [Fact]
    public void T18_Surplus_RetiresFromTheBottom_WhileTheLastOnesWork()
    {
        NativeThreadPool pool = NewPool(1, options => options.IdleTimeout = TimeSpan.FromMilliseconds(300));
        using (new BlockedWorkers(pool, 20))
        {
            Assert.InRange(pool.ThreadCount, 20, 40);
        }

        Deadline.Until(() =>
        {
            pool.OnWorker(static () => { });
            return pool.ThreadCount == 1;
        });
    }

    [Fact]
    public void Shutdown_ReachesBlockedParkedAndReservedWorkers()
    {
        foreach (int round in Soak.Repeat(20))
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "starve", MaxThreads = 2, MinThreads = 2 });
            var block = new BlockedWorkers(pool, 12);
            block.Release();
            Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
            block.Dispose();
            Assert.Equal(0, Deadline.Result(stopped));
            Assert.Equal((0, 0, 0), (pool.ThreadCount, pool.BlockedThreadCount, pool.Probe.ReserveThreads));
        }
    }

    [Fact]
    public void T39_ReservedWorkerThatRetires_LeavesItsOwnItemsWhereTheyAreSeen()
    {
        const int items = 5;
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(1, options => options.IdleTimeout = TimeSpan.FromMilliseconds(10));
        foreach (int round in Soak.Repeat(50))
        {
            int added = meter.Injected;
            using var ran = new CountdownEvent(items);
            using var queued = new ManualResetEventSlim();
            using var mayEnd = new ManualResetEventSlim();
            pool.OnWorker(() =>
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    pool.UnsafeQueueUserWorkItem(
                        _ =>
                        {
                            for (int i = 0; i < items; i++)
                            {
                                pool.UnsafeQueueUserWorkItem(static ran => ran.Signal(), ran, preferLocal: true);
                            }

                            queued.Set();
                            SpinUntil(() => mayEnd.IsSet);
                        },
                        null);
                    Deadline.Wait(queued);
                }

                // Two run where one may: the other leaves for the reserve between two items, and for good while this one
                // computes; if it waited, a thread would be called back for it. That shows nothing: the runtime made it wait.
                mayEnd.Set();
                SpinUntil(() => pool.ThreadCount == 1);
                SpinUntil(() => pool.PendingWorkItemCount == items || meter.Injected != added);
                Assert.True(pool.PendingWorkItemCount == items || meter.Injected != added, $"{pool.PendingWorkItemCount} items are seen");
            });
            Deadline.Wait(ran);
        }
    }

    [Fact]
    public void T86_WorkerThatIsNotListedAnyMore_IsNotCountedAsBlocked()
    {
        // The monitor looks at a worker and counts it some time later; it may have retired meanwhile, on its way to its end.
        NativeThreadPool pool = NewPool(1);
        Assert.Equal(0, pool.Probe.ReplaceRetiredWorker());
        Assert.Equal(0, pool.BlockedThreadCount);
    }

    [Fact]
    public void T150_WorkerThatIsMarkedWhenItHasParked_CountsItselfOffWithoutAnItem()
    {
        NativeThreadPool pool = NewPool(1, static options => options.IdleTimeout = TimeSpan.FromMilliseconds(20)); // after which it parks anew
        pool.OnWorker(static () => { });
        Deadline.Until(() => pool.Probe.IsAtRest);
        pool.Probe.MarkWorker();
        Deadline.Until(() => pool.BlockedThreadCount == 0, "no worker counts as blocked");
    }

    [Fact]
    public void T150_WorkerThatHasParkedSinceItWasSeen_IsNotBlocked()
    {
        NativeThreadPool pool = NewPool(1, static options => options.IdleTimeout = TimeSpan.FromMilliseconds(20));
        pool.OnWorker(static () => { });
        Deadline.Until(() => pool.Probe.IsAtRest);
        Evidence evidence = pool.Probe.EvidenceOfOneWorker();
        evidence.Look(1);
        long parks = pool.Probe.Parks;
        Deadline.Until(() => pool.Probe.Parks >= parks + 2, "the worker parks anew");
        Assert.True(evidence.RunsAgain());
    }

    private static void SpinUntil(Func<bool> condition)
    {
        for (long began = Stopwatch.GetTimestamp(); !condition() && Stopwatch.GetElapsedTime(began) < Deadline.Time;)
        {
            Thread.SpinWait(5);
        }
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen)
        {
            int before = Interlocked.CompareExchange(ref most, value, seen);
            if (before == seen)
            {
                return;
            }

            seen = before;
        }
    }
}
