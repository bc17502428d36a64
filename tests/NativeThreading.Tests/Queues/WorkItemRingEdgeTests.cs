using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>
/// T23: growth, full rings and index wrap. A Debug build starts the indices just below <see cref="int.MaxValue"/>, so
/// that the first few dozen pushes there cross it.
/// </summary>
public sealed class WorkItemRingEdgeTests
{
    [Fact]
    public void T23_FullRing_RefusesThePushAndGrowsWithoutLosingOrder()
    {
        var ring = new WorkItemRing();
        int capacity = ring.Capacity;
        for (int number = 0; number < capacity; number++)
        {
            Assert.True(ring.HasFreeSlot);
            Assert.True(ring.TryPush(number));
        }

        Assert.False(ring.HasFreeSlot);
        Assert.False(ring.TryPush(capacity));
        Assert.Equal(capacity, ring.Count);

        ring.Grow();
        Assert.Equal(2 * capacity, ring.Capacity);
        Assert.True(ring.TryPush(capacity));
        Assert.Equal(Enumerable.Range(0, capacity + 1), ring.TakeAllOldest());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(37)]
    [InlineData(39)]
    [InlineData(40)]
    [InlineData(41)]
    [InlineData(42)]
    [InlineData(127)]
    public void T23_GrowthAnywhereInTheIndexRange_KeepsOrder(int offset)
    {
        // The offset moves head and tail before the ring fills, so that growth meets the wrap at every position.
        var ring = new WorkItemRing();
        WorkItem item = default;
        for (int i = 0; i < offset; i++)
        {
            Assert.True(ring.TryPush(-1));
            Assert.True(ring.TryTakeOldest(ref item));
        }

        for (int number = 0; number < 1_000; number++)
        {
            ring.Push(number);
        }

        Assert.Equal(1_000, ring.Count);
        Assert.Equal(Enumerable.Range(0, 1_000), ring.TakeAllOldest());
        Assert.Equal(0, ring.Count);
    }

    [Fact]
    public void T23_CountStaysExactAcrossTheWrap()
    {
        var ring = new WorkItemRing();
        WorkItem item = default;
        for (int round = 0; round < 300; round++)
        {
            Assert.True(ring.TryPush(round));
            Assert.True(ring.TryPush(round));
            Assert.Equal(2, ring.Count);
            Assert.True(ring.TryTakeNewest(ref item));
            Assert.Equal(1, ring.Count);
            Assert.True(ring.TryTakeOldest(ref item));
            Assert.Equal(0, ring.Count);
            Assert.Equal(round, item.Number());
        }
    }

#if DEBUG
    [Fact]
    public void T23_DebugBuildsCrossTheLargestIndex()
    {
        WorkItemRing ring = Rings.With(1);
        int before = TailOf(ring);
        for (int number = 1; number < 100; number++)
        {
            ring.Push(number);
        }

        Assert.True(before > 0 && TailOf(ring) < 0, $"The tail went from {before} to {TailOf(ring)} and did not wrap.");
        Assert.Equal(Enumerable.Range(0, 100), ring.TakeAllOldest());
    }

    [System.Runtime.CompilerServices.UnsafeAccessor(System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "_tail")]
    private static extern ref PaddedIndex Tail(WorkItemRing ring);

    private static int TailOf(WorkItemRing ring) => Tail(ring).Value;
#endif

    [Fact]
    public void SlotThatIsNotCleared_CountsAsFull_EvenWhenTheIndicesSayItIsFree()
    {
        // What a pusher meets while a thief has moved on by one index but not yet cleared the slot behind it: here the
        // callback is put back by hand into a slot that was taken.
        var ring = new WorkItemRing();
        WorkItem item = default;
        for (int number = 0; number < ring.Capacity; number++)
        {
            Assert.True(ring.TryPush(number));
        }

        Assert.True(ring.TryTakeOldest(ref item));
        WorkItem[] slots = Slots(ring);
        int late = Array.FindIndex(slots, slot => slot.Callback is null);
        slots[late].Callback = Rings.Callback;

        Assert.Equal(ring.Capacity - 1, ring.Count);
        Assert.False(ring.HasFreeSlot);
        Assert.False(ring.TryPush(1_000));

        slots[late].Callback = null;
        Assert.True(ring.TryPush(1_000));
        Assert.Equal(Enumerable.Range(1, ring.Capacity - 1).Append(1_000), ring.TakeAllOldest());
    }

    [System.Runtime.CompilerServices.UnsafeAccessor(System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "_items")]
    private static extern ref WorkItem[] Slots(WorkItemRing ring);
}
