using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>A worker that waits for a group it cannot help with any more is marked as blocked, for as long as it is.</summary>
public sealed class BlockedMarkTests
{
    [Fact]
    public async Task WorkerInAGroupsWait_IsMarkedAsBlockedUntilItReturns()
    {
        using var release = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "blocked-mark", MaxThreads = 2 });
        var group = new WorkGroup(pool);
        group.Queue(
            _ =>
            {
                entered.Set();
                release.Wait(Deadline.Time);
            },
            0);
        Deadline.Wait(entered);
        Assert.Equal(0, pool.Probe.MarkedWorkers);

        Task waiter = pool.Run(() => Assert.True(group.Wait(Deadline.Time)));
        Deadline.Until(() => pool.Probe.MarkedWorkers == 1);

        release.Set();
        await waiter.WaitAsync(Deadline.Time, TestContext.Current.CancellationToken);
        Assert.Equal(0, pool.Probe.MarkedWorkers);
    }
}
