using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>A pool that shuts down refuses entry calls, and only these.</summary>
public sealed class RefusedEntryTests
{
    [Fact]
    public async Task EntryCalls_AreRefusedWhileDrainingAndAfterwards()
    {
        NativeThreadPool pool = Pools.WithThreads(1, "leaving");
        Task<long> stopped;
        using (new BlockedWorkers(pool, 1))
        {
            stopped = pool.ShutdownAsync(CancellationToken.None);
            AssertRefusesEntry(pool);
        }

        await Deadline.For(stopped);
        AssertRefusesEntry(pool);
        Assert.Equal(1, pool.CompletedWorkItemCount);
    }

    [Fact]
    public async Task CallsFromItsOwnWorkers_AreAcceptedWhileDraining()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        using var draining = new ManualResetEventSlim();
        int ran = 0;
        pool.QueueUserWorkItem(_ =>
        {
            draining.Wait(Deadline.Time);
            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), 0, preferLocal: true);
            pool.Run(() => Interlocked.Increment(ref ran));
            pool.Run(async () =>
            {
                await Task.Yield();
                Interlocked.Increment(ref ran);
            });
            new WorkGroup(pool).Queue(_ => Interlocked.Increment(ref ran), 0);
        });
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        draining.Set();
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((5, 0L), (ran, pool.RanElsewhereCount));
    }

    private static void AssertRefusesEntry(NativeThreadPool pool)
    {
        bool ran = false;
        void Item() => ran = true;
        var group = new WorkGroup(pool);
        Action[] entries =
        [
            () => pool.QueueUserWorkItem(_ => Item()),
            () => pool.QueueUserWorkItem(_ => Item(), null),
            () => pool.QueueUserWorkItem(_ => Item(), "state", preferLocal: false),
            () => pool.QueueUserWorkItem(_ => Item(), 1, preferLocal: true),
            () => pool.UnsafeQueueUserWorkItem(_ => Item(), null),
            () => pool.UnsafeQueueUserWorkItem(_ => Item(), "state", preferLocal: false),
            () => pool.UnsafeQueueUserWorkItem(new Executable(Item), preferLocal: false),
            () => pool.Run(Item),
            () => pool.Run(() => ran = true),
            () => pool.Run(() =>
            {
                Item();
                return Task.CompletedTask;
            }),
            () => pool.Run(() =>
            {
                Item();
                return Task.FromResult(1);
            }),
            () => Task.Run(pool, Item),
            () => group.Queue(_ => Item(), 0),
            () => group.QueueRange(_ => Item(), [1, 2, 3]),
        ];
        foreach (Action entry in entries)
        {
            var exception = Assert.Throws<ObjectDisposedException>(entry);
            Assert.Contains(pool.Name, exception.ObjectName, StringComparison.Ordinal);
        }

        Assert.Equal((0L, 0L), (pool.PendingWorkItemCount, group.PendingCount));
        Assert.True(group.Wait(TimeSpan.Zero));
        Assert.False(ran);
    }

    private sealed class Executable(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
