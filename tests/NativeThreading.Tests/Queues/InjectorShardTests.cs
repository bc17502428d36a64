using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>One shard of the shard for outside threads.</summary>
public sealed class InjectorShardTests
{
    [Fact]
    public void Take_IsFirstInFirstOut()
    {
        InjectorShard shard = With(10);
        WorkItem item = default;
        for (int number = 0; number < 10; number++)
        {
            Assert.True(shard.TryTake(ref item));
            Assert.Equal(number, item.Number());
        }

        Assert.False(shard.TryTake(ref item));
        Assert.True(shard.IsEmpty);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(3, 2)]
    [InlineData(10, 5)]
    [InlineData(63, 32)]
    [InlineData(64, 32)]
    [InlineData(65, 32)]
    [InlineData(1_000, 32)]
    public void Transfer_MovesHalf_RoundedUp_AtMost32_InOrder(int inside, int moved)
    {
        InjectorShard shard = With(inside);
        var destination = new WorkItemRing();

        Assert.Equal(moved, shard.Transfer(destination));
        Assert.Equal(inside - moved, shard.Count);
        Assert.Equal(Enumerable.Range(0, moved), destination.TakeAllOldest());
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(5, 5)]
    [InlineData(100, 32)]
    public void T133_Transfer_MovesNoMoreThanItIsAskedTo_AndSaysWhereSeveralAre(int most, int moved)
    {
        InjectorShard shard = With(1_000);
        var destination = new WorkItemRing();
        var batch = new MovedBatch();

        Assert.Equal(moved, shard.TryTransfer(destination, most, ref batch, out _));
        Assert.Equal(moved > 1, batch.Since != 0);
        Assert.Equal(moved > 1 ? destination.Tail : 0, batch.End);
    }

    [Fact]
    public void T133_OfTwoBatches_TheOlderWasMovedFirst_AlsoWhenOneIsDivided()
    {
        InjectorShard shard = With(1_000);
        var first = new MovedBatch();
        var second = new MovedBatch();
        shard.TryTransfer(new WorkItemRing(), most: 8, ref first, out _);
        shard.TryTransfer(new WorkItemRing(), most: 8, ref second, out _);
        Assert.True(first.Since <= second.Since);

        long older = first.Divide();
        Assert.True(older < first.Since);
    }

    [Fact]
    public void TakeNow_TakesTheOldest()
    {
        InjectorShard shard = With(2);
        WorkItem item = default;
        Assert.True(shard.TryTakeNow(ref item));
        Assert.Equal(0, item.Number());
        Assert.True(shard.TryTakeNow(ref item));
        Assert.Equal(1, item.Number());
        Assert.False(shard.TryTakeNow(ref item));
    }

    [Fact]
    public void Transfer_StopsWhereTheDestinationIsFull()
    {
        InjectorShard shard = With(40);
        var destination = new WorkItemRing();
        for (int number = 0; number < destination.Capacity - 3; number++)
        {
            Assert.True(destination.TryPush(-1));
        }

        Assert.Equal(3, shard.Transfer(destination));
        Assert.Equal(37, shard.Count);
        Assert.Equal(0, shard.Transfer(destination));
        Assert.Equal(37, shard.Count);
    }

    [Fact]
    public void T65_OneItemMoreThanASegmentHolds_LosesNothingAndKeepsTheOrder()
    {
        const int items = InjectorSegment.Size + 1;
        InjectorShard shard = With(items);
        Assert.Equal(items, shard.Count);

        var taken = new List<int>();
        WorkItem item = default;
        while (shard.TryTake(ref item))
        {
            taken.Add(item.Number());
        }

        Assert.Equal(Enumerable.Range(0, items), taken);
    }

    [Fact]
    public void TakeMatching_TakesOneAndLeavesTheOthersInOrder()
    {
        InjectorShard shard = With(5);
        WorkItem item = default;

        Assert.True(shard.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.State is int number && number == wanted, 2, ref item));
        Assert.Equal(2, item.Number());

        Assert.Equal([0, 1, 3, 4], shard.PendingItems().Select(static item => item.Number()));
    }

    [Fact]
    public void T60_ManyProducersOnOneLock_LoseNothingAndKeepEachOnesOrder()
    {
        const int items = 20_000;
        int producers = 4 * Environment.ProcessorCount;
        var shard = new InjectorShard();
        var taken = new List<int>();

        void Consumer()
        {
            var destination = new WorkItemRing();
            while (taken.Count < producers * items)
            {
                if (shard.Transfer(destination) != 0)
                {
                    taken.AddRange(destination.TakeAllOldest());
                }
                else
                {
                    Thread.Yield();
                }
            }
        }

        Race.Run([Consumer, .. Enumerable.Range(0, producers).Select(producer => (Action)(() =>
        {
            for (int i = 0; i < items; i++)
            {
                shard.Enqueue(Rings.Callback, (producer * items) + i, context: null);
            }
        }))]);

        Assert.True(shard.IsEmpty);
        foreach (IGrouping<int, int> producer in taken.GroupBy(number => number / items))
        {
            Assert.Equal(Enumerable.Range(producer.Key * items, items), producer);
        }
    }

    private static InjectorShard With(int count)
    {
        var shard = new InjectorShard();
        for (int number = 0; number < count; number++)
        {
            shard.Enqueue(Rings.Callback, number, context: null);
        }

        return shard;
    }
}
