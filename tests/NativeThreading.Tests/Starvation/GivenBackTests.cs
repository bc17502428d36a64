using System.Diagnostics;
using NativeThreading.Tests.Support;
using NativeThreading.Workers;

namespace NativeThreading.Tests.Starvation;

/// <summary>An item that is queued at the moment in which the monitor gives its pool back is seen by one of the two.</summary>
public sealed class GivenBackTests
{
    private const int PoolsAtOnce = 24;

    [Fact]
    public void ItemQueuedAtThatMoment_BehindAWorkerThatBlocks_GetsAnother()
    {
        var random = new Random(24);
        for (int round = 0; round < Soak.Rounds(8); round++)
        {
            using var ran = new CountdownEvent(PoolsAtOnce);
            using var entered = new CountdownEvent(PoolsAtOnce);
            NativeThreadPool[] pools = [.. Enumerable.Range(0, PoolsAtOnce).Select(_ => Blocked(entered, ran))];
            Deadline.Wait(entered);
            foreach (NativeThreadPool pool in pools)
            {
                pool.BeginMonitoring(); // nothing waits, so that it is given back a few looks later
            }

            QueueAsTheyAreGivenBack(pools, random, ran);
            Deadline.Wait(ran, "each item runs, though the only thread waits for it");
            foreach (NativeThreadPool pool in pools)
            {
                pool.Dispose();
            }
        }
    }

    /// <summary>
    /// The monitor goes through the pools from the last one to the first: when one has been given back, the one before it is
    /// about to be, some 10 us later.
    /// </summary>
    private static void QueueAsTheyAreGivenBack(NativeThreadPool[] pools, Random random, CountdownEvent ran)
    {
        var isQueued = new bool[pools.Length];
        void QueueOnce(int i)
        {
            if (!isQueued[i])
            {
                isQueued[i] = true;
                Queue(pools[i], ran);
            }
        }

        // Without sleeping in between, or it misses the moment.
        for (long began = Environment.TickCount64; isQueued.Contains(false);)
        {
            Assert.True(Environment.TickCount64 - began < Deadline.Time.TotalMilliseconds, "The monitor gives no pool back.");
            for (int i = pools.Length - 1; i >= 0; i--)
            {
                if (!isQueued[i] && IsGivenBack(pools[i]))
                {
                    if (i > 0 && !IsGivenBack(pools[i - 1]))
                    {
                        Spin(random.Next(20));
                        QueueOnce(i - 1);
                    }

                    QueueOnce(i);
                }
            }
        }
    }

    private static bool IsGivenBack(NativeThreadPool pool) => (pool.Signal.Word & WorkerSignal.Unmonitored) != 0;

    private static void Spin(int microseconds)
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began).TotalMicroseconds < microseconds)
        {
            Thread.SpinWait(1);
        }
    }

    /// <summary>A pool whose only worker waits until all items have run.</summary>
    private static NativeThreadPool Blocked(CountdownEvent entered, CountdownEvent ran)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 1 });
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Signal();
                ran.Wait(Deadline.Time);
            },
            null);
        return pool;
    }

    private static void Queue(NativeThreadPool pool, CountdownEvent ran) => pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
}
