using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The contexts of items and of a waiter that runs them.</summary>
public sealed class WorkGroupContextTests
{
    [Fact]
    public void WaiterKeepsItsOwnContexts()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<string?>();
        var own = new SynchronizationContext();
        var inItems = new List<(string?, SynchronizationContext?)>();
        Assert.Equal(("waiter", own), pool.OnWorker(() =>
        {
            var group = new WorkGroup(pool);
            for (int i = 0; i < 3; i++)
            {
                local.Value = $"queued {i}";
                group.Queue(
                    _ =>
                    {
                        inItems.Add((local.Value, SynchronizationContext.Current));
                        local.Value = "item";
                        SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                    },
                    0);
            }

            local.Value = "waiter";
            SynchronizationContext.SetSynchronizationContext(own);
            group.Wait();
            return (local.Value, SynchronizationContext.Current);
        }));
        Assert.Equal([("queued 0", null), ("queued 1", null), ("queued 2", null)], inItems.Order());
    }

    [Theory, CombinatorialBooleans]
    public void T34_Context_FlowsToTheItemsUnlessSuppressed(bool suppressed)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<string?> { Value = "caller" };
        var group = new WorkGroup(pool);
        var seen = new List<string?>();
        AsyncFlowControl? suppression = suppressed ? ExecutionContext.SuppressFlow() : null;
        try
        {
            group.Queue(_ => seen.Add(local.Value), 0);
            group.QueueRange(_ => seen.Add(local.Value), [1, 2]);
        }
        finally
        {
            suppression?.Undo();
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(Enumerable.Repeat(suppressed ? null : "caller", 3), seen);
    }

    [Theory, CombinatorialBooleans]
    public void T135_WaitUnderSuppressedFlow_KeepsTheSuppressionAndTheWaitersLocals(bool inTask)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<string?>();
        var inItems = new List<Surroundings>();
        void Waiter()
        {
            local.Value = "waiter";
            var group = new WorkGroup(pool);
            using (ExecutionContext.SuppressFlow())
            {
                group.QueueRange(
                    nested =>
                    {
                        inItems.Add(Surroundings.Here(local));
                        local.Value = "item";
                        var inner = new WorkGroup(pool);
                        using (ExecutionContext.SuppressFlow())
                        {
                            inner.Queue(_ => inItems.Add(Surroundings.Here(local)), 0);
                            inner.Wait();
                            Assert.True(ExecutionContext.IsFlowSuppressed());
                            Assert.Equal("item", local.Value);
                        }
                    },
                    [1, 2]);
                group.Wait();
                Assert.True(ExecutionContext.IsFlowSuppressed());
                Assert.Equal("waiter", local.Value);
            }

            Assert.False(ExecutionContext.IsFlowSuppressed());
            Assert.Equal("waiter", local.Value);
        }

        if (inTask)
        {
            Deadline.Wait(pool.Run(Waiter));
        }
        else
        {
            pool.OnWorker(Waiter);
        }

        Assert.Equal(Enumerable.Repeat(Surroundings.OfAnItem, 4), inItems);
    }
}
