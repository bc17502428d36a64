using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>
/// The monitor gives a pool back: an item that was queued while it still had the pool, but after its last sample, was reported to no worker,
/// and the monitor has to see it.
/// </summary>
public sealed class GivenBackTests
{
    [Fact]
    public void ItemQueuedBehindTheLook_KeepsTheMonitor()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using (new BlockedWorkers(pool, 1))
        {
            Deadline.Until(pool.Probe.TryMonitor, "the test has the pool, as the monitor would"); // and has looked
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Assert.True(pool.Probe.GiveBack(), "Monitoring of the pool ended with an item for which no worker was requested.");
            Assert.True(pool.Probe.IsMonitored);
        }

        Deadline.Until(() => pool.PendingWorkItemCount == 0);
        Assert.False(pool.Probe.GiveBack());
        Assert.False(pool.Probe.IsMonitored);
    }

    [Fact]
    public void NothingQueued_ThePoolIsGivenBack()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        pool.OnWorker(static () => { });
        pool.WaitUntilQuiet();
        Deadline.Until(() => pool.Probe.IdleWorkers == 1, "the worker is idle");
        Assert.True(pool.Probe.TryMonitor());
        Assert.False(pool.Probe.GiveBack());
    }
}
