using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>Shutting down while others queue: each item is either refused or run exactly once.</summary>
public sealed class ShutdownRaceTests
{
    // Enough to be at it when the pool ends, on a quiet machine; on a busy one the end may come much later.
    private const int MostItems = 2_000;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void EachItem_IsRefusedOrRunOnce(int kind)
    {
        foreach (int round in Soak.Repeat(334)) // a thousand over the three kinds
        {
            NativeThreadPool pool = Pools.WithThreads(1 + (round & 1));
            long accepted = 0;
            long ran = 0;
            void Item() => Interlocked.Increment(ref ran);
            var group = new WorkGroup(pool);
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    Thread.SpinWait(round % 50 * 20);
                    Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
                    return;
                }

                try
                {
                    for (int i = 0; i < MostItems; i++)
                    {
                        _ = kind switch
                        {
                            0 => pool.UnsafeQueueUserWorkItem(_ => Item(), null),
                            1 => pool.Run(Item) is not null,
                            _ => QueueToGroup(group, Item),
                        };
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                }
            });

            // What met the very end of the pool runs elsewhere, a little later.
            Deadline.Until(() => Volatile.Read(ref ran) == accepted, $"{accepted} items accepted, {ran} ran");
            Assert.True(group.Wait(Deadline.Time));
            Assert.Equal((0L, 0), (pool.PendingWorkItemCount, pool.ThreadCount));
        }
    }

    [Fact]
    public void RequestThatIsNotNeededAnyMore_DoesNotHoldUpTheShutdown()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        using (new BlockedWorkers(pool, 1))
        {
            // A producer has asked for a thread and loses its CPU; meanwhile the one there is has taken its item.
            pool.Probe.RequestThread();
        }

        Deadline.Until(() => pool.Probe.IdleWorkers == 1, "the worker parks");
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(pool.Probe.IsStopped);
        pool.Probe.StartRequestedThread();
        Assert.True(pool.Probe.IsStopped);
        Assert.Equal(0, Deadline.Result(stopped));
    }

    private static bool QueueToGroup(WorkGroup group, Action item)
    {
        group.Queue(static action => action(), item);
        return true;
    }
}
