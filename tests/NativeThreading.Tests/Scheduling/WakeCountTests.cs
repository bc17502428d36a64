using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>How many wakes work costs: counted, because counts are the same on a busy machine.</summary>
[Trait("Category", "Soak")]
public sealed class WakeCountTests : SoakTest
{
    private readonly ManualResetEventSlim _done = new();
    private int _left;

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(16)]
    public void T25_T51_TrickleFromOutside_WakesOneWorkerPerItem(int threads)
    {
        const int items = 1_000;
        NativeThreadPool pool = NewFullPool(threads);
        long wakes = pool.Probe.Wakes, switches = ThreadUsage.VoluntarySwitches(pool);
        for (int i = 0; i < items; i++)
        {
            // Each item arrives when the workers have gone to rest after the last, so each one needs its wake.
            Deadline.Until(() => pool.Probe.IsAtRest);
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        }

        Deadline.Until(() => pool.Probe.IsAtRest);
        wakes = pool.Probe.Wakes - wakes;
        switches = ThreadUsage.VoluntarySwitches(pool) - switches;
        Assert.InRange(wakes, 1, items);
        Assert.InRange(switches, 1, 2 * items);
    }

    [Theory, CombinatorialBooleans]
    public void T50_WorkerThatFeedsItself_WakesNobody(bool preferLocal)
    {
        const int items = 300_000;
        NativeThreadPool pool = NewFullPool(4);
        _left = items;
        long wakes = pool.Probe.Wakes;

        void Feed(object? state)
        {
            if (--_left == 0)
            {
                _done.Set();
            }
            else
            {
                pool.UnsafeQueueUserWorkItem(Feed, state, preferLocal);
            }
        }

        pool.UnsafeQueueUserWorkItem(Feed, null);
        Deadline.Wait(_done);

        // One to begin with, and one whenever the chain's thread was pre-empted with its item in the queue.
        Assert.InRange(pool.Probe.Wakes - wakes, 1, items / 1_000);
    }

    [Fact]
    public void T50_ItemBehindALongItem_IsTakenByAnotherWorker()
    {
        NativeThreadPool pool = NewFullPool(2);
        for (int i = 0; i < 200; i++)
        {
            pool.OnWorker(() =>
            {
                int owner = Environment.CurrentManagedThreadId, taker = 0;
                long queued = Stopwatch.GetTimestamp();
                pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref taker, Environment.CurrentManagedThreadId), (object?)null, preferLocal: true);
                AssertSoon(() => Volatile.Read(ref taker) != 0, queued);
                Assert.NotEqual(owner, taker);
            });
        }
    }

    [Fact]
    public void T26_ItemQueuedByAnItemThatGoesOn_BeginsWithinAWakeLatency()
    {
        // Far above a wake latency of some 50 us, for the machine may be busy, and far below the look after a second
        // that would find the item in the end.
        TimeSpan bound = TimeSpan.FromMilliseconds(20);
        NativeThreadPool pool = NewFullPool(2);
        var latencies = new List<TimeSpan>();
        foreach (int _ in Soak.Repeat(300))
        {
            Deadline.Until(() => pool.Probe.IsAtRest);
            latencies.Add(pool.OnWorker(() =>
            {
                long queued = Stopwatch.GetTimestamp(), started = 0;
                pool.UnsafeQueueUserWorkItem(_ => Volatile.Write(ref started, Stopwatch.GetTimestamp()), (object?)null, preferLocal: false);
                AssertSoon(() => Volatile.Read(ref started) != 0, queued);
                return Stopwatch.GetElapsedTime(queued, started);
            }));
        }

        TimeSpan median = latencies.Order().ElementAt(latencies.Count / 2);
        Assert.True(median < bound, $"The second item began after {median.TotalMilliseconds} ms in the median.");
    }

    [Fact]
    public void T53_ItemsForABusyPool_MakeNoWakeCall()
    {
        NativeThreadPool pool = NewFullPool(2);
        using (new BlockedWorkers(pool, 2))
        {
            long wakes = pool.Probe.Wakes;
            for (int i = 0; i < 200_000; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            }

            Assert.Equal(wakes, pool.Probe.Wakes);
        }

        pool.WaitUntilQuiet();
        Assert.Equal(200_000 + 4, pool.CompletedWorkItemCount);
    }
}
