using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Objects that execute themselves.</summary>
public abstract class WorkItemContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private const int Count = 100;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ManyWorkItems_EachExecutesOnce(bool preferLocal)
    {
        using var ran = new CountdownEvent(Count);
        CountingItem[] items = [.. Enumerable.Range(0, Count).Select(_ => new CountingItem(ran))];
        foreach (CountingItem item in items)
        {
            Assert.True(Pool.UnsafeQueueUserWorkItem(item, preferLocal));
        }

        Deadline.Wait(ran);
        Assert.All(items, item => Assert.Equal(1, item.Executions));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SameWorkItemManyTimes_ExecutesThatOften(bool preferLocal)
    {
        using var ran = new CountdownEvent(Count);
        var item = new CountingItem(ran);
        for (int i = 0; i < Count; i++)
        {
            Assert.True(Pool.UnsafeQueueUserWorkItem(item, preferLocal));
        }

        Deadline.Wait(ran);
        Assert.Equal(Count, item.Executions);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WorkItemThatQueuesItself_ExecutesEachTime(bool preferLocal)
    {
        using var ran = new CountdownEvent(Count);
        Pool.UnsafeQueueUserWorkItem(new RequeueingItem(Pool, ran, preferLocal), preferLocal);
        Deadline.Wait(ran);
    }

    private sealed class CountingItem(CountdownEvent ran) : IThreadPoolWorkItem
    {
        private int _executions;

        public int Executions => Volatile.Read(ref _executions);

        public void Execute()
        {
            Interlocked.Increment(ref _executions);
            ran.Signal();
        }
    }

    private sealed class RequeueingItem(TPool pool, CountdownEvent ran, bool preferLocal) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            if (!ran.Signal())
            {
                pool.UnsafeQueueUserWorkItem(this, preferLocal);
            }
        }
    }
}

public sealed class NativePoolWorkItems : WorkItemContract<NativePoolUnderTest>;

public sealed class RuntimePoolWorkItems : WorkItemContract<RuntimePoolUnderTest>;

public sealed class SchedulerWorkItems : WorkItemContract<SchedulerUnderTest>;
