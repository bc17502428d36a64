using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>A ring is a stack at its tail and a queue at its head.</summary>
public sealed class WorkItemRingOrderTests
{
    [Fact]
    public void OldestEnd_IsFirstInFirstOut() => Assert.Equal(Enumerable.Range(0, 100), Rings.With(100).TakeAllOldest());

    [Fact]
    public void NewestEnd_IsLastInFirstOut() => Assert.Equal(Enumerable.Range(0, 100).Reverse(), Rings.With(100).TakeAllNewest());

    [Fact]
    public void BothEndsMeetInTheMiddle()
    {
        WorkItemRing ring = Rings.With(5);
        WorkItem item = default;
        var taken = new List<int>();
        for (int i = 0; ring.Count != 0; i++)
        {
            Assert.True(i % 2 == 0 ? ring.TryTakeOldest(ref item) : ring.TryTakeNewest(ref item));
            taken.Add(item.Number());
        }

        Assert.Equal([0, 4, 1, 3, 2], taken);
    }

    [Fact]
    public void EmptyRing_GivesNothing()
    {
        var ring = new WorkItemRing();
        WorkItem item = default;

        Assert.Equal(0, ring.Count);
        Assert.False(ring.TryTakeOldest(ref item));
        Assert.False(ring.TryTakeNewest(ref item));
        Assert.False(ring.TryTake(0));
        Assert.Equal(0, ring.Count);
    }

    [Fact]
    public void Take_ReturnsTheThreeWordsThatWerePushed()
    {
        var ring = new WorkItemRing();
        object state = new(), context = new();
        Assert.True(ring.TryPush(Rings.Callback, state, context));

        WorkItem item = default;
        Assert.True(ring.TryTakeOldest(ref item));
        Assert.Same(Rings.Callback, item.Callback);
        Assert.Same(state, item.State);
        Assert.Same(context, item.Context);
    }

    [Fact]
    public void ItemWithoutContext_DoesNotInheritThatOfTheSlotsLastItem()
    {
        var ring = new WorkItemRing();
        WorkItem item = default;
        for (int i = 0; i < 2 * ring.Capacity; i++)
        {
            object? context = i % 3 == 0 ? new object() : null;
            Assert.True(ring.TryPush(Rings.Callback, i, context));
            Assert.True(i % 2 == 0 ? ring.TryTakeOldest(ref item) : ring.TryTakeNewest(ref item));
            Assert.Same(context, item.Context);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(9)]
    public void TakeMatching_ClosesTheGap(int removed)
    {
        WorkItemRing ring = Rings.With(10);

        Assert.True(ring.TryTake(removed));
        Assert.False(ring.TryTake(removed));
        Assert.Equal(Enumerable.Range(0, 10).Where(number => number != removed), ring.TakeAllOldest());
    }

    [Fact]
    public void TakeMatching_TakesTheNewestOfSeveral()
    {
        WorkItemRing ring = Rings.With(10);
        WorkItem item = default;

        Assert.True(ring.TryTakeMatching(static (in WorkItem candidate, int below) => candidate.Number() < below, 7, ref item));
        Assert.Equal(6, item.Number());
    }
}
