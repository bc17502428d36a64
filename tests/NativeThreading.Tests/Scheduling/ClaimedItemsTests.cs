using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>What a worker does between the items of a range, which it claims one by one.</summary>
public sealed class ClaimedItemsTests
{
    private const int Most = 32;

    [Fact]
    public void T9_WhoRemovesARange_AsksForWhatLiesBehindIt()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var ran = new ManualResetEventSlim();
        bool asked = pool.OnWorker(() =>
        {
            Parker? idle = null;
            bool wasAsked = false;
            ItemRange range = pool.Probe.PublishRange(
                () => idle = pool.Probe.AnnounceIdle(), // it looked while the entry was being removed
                () => wasAsked = pool.Probe.Withdraw(idle!));
            pool.Probe.Publish(ran.Set);
            RunSome(range);
            return wasAsked;
        });
        Assert.True(asked);
        Deadline.Wait(ran);
    }

    [Fact]
    public void WhileAWorkerIsBlocked_AsManyRunInARow()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        pool.OnWorker(() =>
        {
            int ran = 0;
            var items = new Action[Most];
            Array.Fill(items, () => ran++);
            using (NativeThreadPool.EnterBlockingRegion())
            {
                Assert.Equal(1, pool.BlockedThreadCount);
                RunSome(pool.Probe.PublishRange(items));
            }

            Assert.Equal(Most, ran);
        });
    }

    private static void RunSome(ItemRange range)
    {
        Worker worker = Worker.Current!;
        worker.Pace.PicksLeft = Most + 1; // no look is due
        Assert.True(worker.RunSome(range, Most));
    }
}
