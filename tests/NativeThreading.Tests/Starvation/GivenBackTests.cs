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

            // The monitor goes through them one after the other, the last one first: as soon as one has been given back, the
            // one before it is about to be.
            for (int i = PoolsAtOnce - 1; i > 0; i--)
            {
                Deadline.Until(() => (pools[i].Signal.Word & WorkerSignal.Unmonitored) != 0, "the pool is given back");
                Thread.SpinWait(random.Next(400));
                Queue(pools[i - 1], ran);
            }

            Queue(pools[^1], ran);
            Deadline.Wait(ran, "each item runs, though the only thread waits for it");
            foreach (NativeThreadPool pool in pools)
            {
                pool.Dispose();
            }
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
