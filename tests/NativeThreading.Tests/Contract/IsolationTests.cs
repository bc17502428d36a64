using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Pools do not touch each other.</summary>
public sealed class IsolationTests
{
    [Fact]
    public void T67_PoolWithAllWorkersBlocked_DoesNotDelayAnother()
    {
        using NativeThreadPool blocked = Pools.WithThreads(2, "blocked");
        using NativeThreadPool free = Pools.WithThreads(2, "free");
        using var workers = new BlockedWorkers(blocked, 2);
        for (int i = 0; i < 100; i++)
        {
            blocked.UnsafeQueueUserWorkItem(static _ => { }, null);
        }

        for (int i = 0; i < 1_000; i++)
        {
            Assert.Same(free, free.OnWorker(() => NativeThreadPool.Current));
        }

        Assert.Equal(100, blocked.PendingWorkItemCount);
    }

    [Fact]
    public void T67_RuntimesPoolIsNotUsedByRawItemsNorTheyByIt()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using var workers = new BlockedWorkers(pool, 2);
        Assert.False(Deadline.Result(Task.Run(() => NativeThreadPool.Current is not null)));
    }

    [Fact]
    public void WorkerOfOnePool_QueuesToAnotherFromOutside()
    {
        using NativeThreadPool first = Pools.WithThreads(1, "first");
        using NativeThreadPool second = Pools.WithThreads(1, "second");
        using var seen = new Observation<NativeThreadPool?>(() => NativeThreadPool.Current);
        first.OnWorker(() => second.QueueUserWorkItem(seen.Observe, (object?)null, preferLocal: true));
        Assert.Same(second, seen.Result);
    }

    [Fact]
    public void Shared_IsOnePoolForAllThreadsAndRunsItems()
    {
        var seen = new NativeThreadPool?[8];
        StartGate.Run(seen.Length, i => seen[i] = NativeThreadPool.Shared);
        Assert.All(seen, pool => Assert.Same(NativeThreadPool.Shared, pool));
        Assert.Equal("shared", NativeThreadPool.Shared.Name);
        Assert.Same(NativeThreadPool.Shared, NativeThreadPool.Shared.OnWorker(() => NativeThreadPool.Current));
    }

    [Fact]
    public void T98_LimitsOfTheRuntimesPool_AreLeftAlone()
    {
        ThreadPool.GetMinThreads(out int minWorkers, out int minPorts);
        ThreadPool.GetMaxThreads(out int maxWorkers, out int maxPorts);
        using (NativeThreadPool pool = Pools.WithThreads(4))
        {
            pool.OnWorker(() => { });
        }

        ThreadPool.GetMinThreads(out int minWorkersAfter, out int minPortsAfter);
        ThreadPool.GetMaxThreads(out int maxWorkersAfter, out int maxPortsAfter);
        Assert.Equal((minWorkers, minPorts, maxWorkers, maxPorts), (minWorkersAfter, minPortsAfter, maxWorkersAfter, maxPortsAfter));
    }
}
