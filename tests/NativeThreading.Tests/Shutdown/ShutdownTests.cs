using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>Shutting down runs all that was accepted.</summary>
public sealed class ShutdownTests
{
    [Fact]
    public async Task NeverUsedPool_StopsAtOnce()
    {
        var pool = new NativeThreadPool();
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));
        Assert.Equal(0, pool.ThreadCount);
    }

    [Fact]
    public async Task QueuedItems_AllRun()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        int ran = 0;
        Task<long> stopped;
        using (new BlockedWorkers(pool, 2))
        {
            for (int i = 0; i < 1_000; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            stopped = pool.ShutdownAsync(CancellationToken.None);
            Assert.False(stopped.IsCompleted);
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((1_000, 1_002L, 0, 0L), (ran, pool.CompletedWorkItemCount, pool.ThreadCount, pool.RanElsewhereCount));
    }

    [Theory, CombinatorialBooleans]
    public async Task ItemsQueuedByItemsWhileDraining_AllRun(bool preferLocal, bool beforeEntryIsRefused)
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        int ran = 0;
        void Node(int depth)
        {
            Interlocked.Increment(ref ran);
            if (depth > 0)
            {
                pool.QueueUserWorkItem(Node, depth - 1, preferLocal);
                pool.QueueUserWorkItem(Node, depth - 1, preferLocal);
            }
        }

        Task<long> stopped;
        using (var blocked = new BlockedWorkers(pool, 2))
        {
            pool.QueueUserWorkItem(Node, 12, preferLocal);
            if (!beforeEntryIsRefused)
            {
                blocked.Release();
            }

            stopped = pool.ShutdownAsync(CancellationToken.None);
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((1 << 13) - 1, ran);
    }

    [Fact]
    public async Task UnfinishedOperationsOfRun_AreWaitedFor()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        var gate = new TaskCompletionSource();
        Task<NativeThreadPool?> operation = pool.Run(async () =>
        {
            await gate.Task;
            await Task.Yield();
            return NativeThreadPool.Current;
        });
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        pool.WaitUntilQuiet();
        Assert.False(stopped.IsCompleted);

        gate.SetResult();
        Assert.Same(pool, await Deadline.For(operation));
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal(0, pool.RanElsewhereCount);
    }

    [Fact]
    public async Task OperationAcceptedBeforeItsOwnShutdown_IsWaitedFor()
    {
        foreach (int round in Soak.Repeat(300))
        {
            NativeThreadPool pool = Pools.WithThreads(1);
            var gate = new TaskCompletionSource();
            Task<long>? stopped = null;
            Task operation = pool.Run(async () =>
            {
                stopped = pool.ShutdownAsync(CancellationToken.None);
                await gate.Task;
            });
            gate.SetResult();
            await Deadline.For(operation);
            Assert.Equal(0, await Deadline.For(stopped!));
            Assert.Equal(0, pool.RanElsewhereCount);
        }
    }

    [Fact]
    public async Task ShutdownCalledTwice_JoinsTheFirst()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Task<long> first;
        Task<long> second;
        using (new BlockedWorkers(pool, 1))
        {
            first = pool.ShutdownAsync(CancellationToken.None);
            second = pool.ShutdownAsync(CancellationToken.None);
            Assert.False(second.IsCompleted);
        }

        Assert.Equal((0L, 0L), (await Deadline.For(first), await Deadline.For(second)));
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));
    }

    [Fact]
    public void T57_ManyPoolsWithParkedAndParkingWorkers_AllStop()
    {
        foreach (int round in Soak.Repeat(200))
        {
            NativeThreadPool pool = Pools.WithThreads(1 + (round % 4));
            for (int i = 0; i < round % 8; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            }

            Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
            Assert.Equal((0, (long)(round % 8)), (pool.ThreadCount, pool.CompletedWorkItemCount));
        }
    }
}
