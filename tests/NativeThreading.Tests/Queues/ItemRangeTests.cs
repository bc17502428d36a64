using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A range in a shard is one entry that counts as its items, and gives them out one by one, in order, each once.</summary>
public sealed class ItemRangeTests
{
    private readonly InjectorShard _shard = new();
    private int _next;

    [Fact]
    public void Take_KeepsTheOrder_AlsoOfWhatLiesBeforeAndBehind()
    {
        AddItem();
        AddRange(5);
        AddItem();
        AddRange(1);
        AddRange(3);
        Assert.Equal(11, _shard.Count);
        Assert.Equal(Enumerable.Range(0, 11), TakeAll());
        AssertEmpty();
    }

    [Theory]
    [InlineData(InjectorSegment.Size - 1)]
    [InlineData(InjectorSegment.Size)]
    [InlineData(InjectorSegment.Size + 1)]
    public void RangeBesideTheEndOfASegment_IsAsAnywhere(int before)
    {
        for (int i = 0; i < before; i++)
        {
            AddItem();
        }

        AddRange(7);
        AddItem();
        Assert.Equal(before + 8, _shard.Count);
        Assert.Equal(Enumerable.Range(0, before + 8), TakeAll());
        AssertEmpty();
    }

    [Fact]
    public void Transfer_StopsBeforeARange_AndThenFindsIt()
    {
        AddItem();
        ItemRange range = AddRange(5);
        AddItem();
        var destination = new WorkItemRing();
        var batch = new MovedBatch();
        Assert.Equal(1, _shard.TryTransfer(destination, most: 32, ref batch, out ItemRange? found));
        Assert.Null(found);
        for (int left = 5; left > 0; left--)
        {
            Assert.Equal(0, _shard.TryTransfer(destination, most: 32, ref batch, out found));
            Assert.Same(range, found);
            Assert.Equal(left + 1, _shard.Count);
            Assert.Equal(6 - left, Take(range));
        }

        Assert.Equal(1, _shard.TryTransfer(destination, most: 32, ref batch, out found));
        Assert.Null(found);
        Assert.Equal([0, 6], destination.TakeAllOldest());
        AssertEmpty();
    }

    [Fact]
    public void WhoeverClaimsTheLastItem_RemovesTheEntry()
    {
        ItemRange range = AddRange(3);
        Assert.Equal([0, 1], [Take(range), Take(range)]);
        Assert.False(_shard.IsEmpty);
        Assert.False(_shard.Snapshot.IsEmpty);
        Assert.Equal(2, Take(range));
        AssertEmpty();
        WorkItem item = default;
        Assert.False(range.TryTake(ref item));
    }

    [Fact]
    public void ClaimThatIsNotFollowedByTheRemoval_LeavesNoItemBehindItUnseen()
    {
        ItemRange range = AddRange(1);
        AddItem();
        WorkItem item = default;
        Assert.True(range.TryClaim(ref item)); // and the claimer has lost its processor
        Assert.Equal(1, _shard.Count);
        Assert.False(_shard.IsEmpty);
        Assert.Equal([1], TakeAll());
        _shard.RemoveSpent(); // the next segment
        AssertEmpty();
    }

    [Fact]
    public void TakeMatching_TakesFromARangeInTheMiddle_AndTheCountIsRightAllTheWhile()
    {
        AddRange(3);
        var wanted = new object();
        AddRange(4, wanted);
        AddItem();
        WorkItem item = default;
        for (int taken = 0; taken < 4; taken++)
        {
            Assert.Equal(8 - taken, _shard.Count);
            Assert.True(_shard.TryTakeMatching(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, wanted, ref item));
            Assert.Equal(3 + taken, item.Number());
        }

        Assert.False(_shard.TryTakeMatching(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, wanted, ref item));
        Assert.Equal(4, _shard.Count);
        Assert.Equal([0, 1, 2, 7], TakeAll());
        AssertEmpty();
    }

    [Theory]
    [InlineData(0b000)]
    [InlineData(0b001)]
    [InlineData(0b010)]
    [InlineData(0b011)]
    [InlineData(0b100)]
    [InlineData(0b101)]
    [InlineData(0b110)]
    [InlineData(0b111)]
    public void Count_IsExact_WhoeverTakesFromTheHead(int matching)
    {
        ItemRange range = AddRange(3);
        AddItem();
        for (int taken = 0; taken < 3; taken++)
        {
            Assert.Equal(4 - taken, _shard.Count);
            WorkItem item = default;
            bool matches = (matching & (1 << taken)) != 0;
            Assert.True(matches ? _shard.TryTakeMatching(static (in WorkItem _, int _) => true, 0, ref item) : range.TryTake(ref item));
            Assert.Equal(taken, item.Number());
        }

        Assert.Equal(1, _shard.Count);
        Assert.Equal([3], TakeAll());
        AssertEmpty();
    }

    [Fact]
    public void Views_ShowTheItemsThatAreLeft()
    {
        ItemRange range = AddRange(3);
        AddItem();
        Take(range);
        Assert.Equal([1, 2, 3], _shard.PendingItems().Select(static item => item.Number()));
    }

    [Fact]
    public void StatesThatAreValues_GetAnObjectEach()
    {
        int sum = 0;
        ItemRange range = ItemRange.Of<int>(state => sum += state, [1, 2, 4], this);
        _shard.EnqueueRange(range);
        WorkItem item = default;
        while (_shard.TryTake(ref item))
        {
            Assert.Same(this, item.Context);
            item.Callback!(item.State);
        }

        Assert.Equal(7, sum);
    }

    private void AddItem() => _shard.Enqueue(Rings.Callback, _next++, null);

    private ItemRange AddRange(int count, object? context = null)
    {
        object?[] states = [.. Enumerable.Range(_next, count).Cast<object?>()];
        ItemRange range = ItemRange.Of(Rings.Callback, (ReadOnlySpan<object?>)states, context ?? new object());
        _next += count;
        _shard.EnqueueRange(range);
        return range;
    }

    private static int Take(ItemRange range)
    {
        WorkItem item = default;
        Assert.True(range.TryTake(ref item));
        return item.Number();
    }

    private List<int> TakeAll()
    {
        var numbers = new List<int>();
        WorkItem item = default;
        for (long left = _shard.Count; _shard.TryTake(ref item); left--)
        {
            numbers.Add(item.Number());
            Assert.Equal(left - 1, _shard.Count);
        }

        return numbers;
    }

    private void AssertEmpty()
    {
        Assert.Equal(0, _shard.Count);
        Assert.True(_shard.IsEmpty);
        Assert.True(_shard.Snapshot.IsEmpty);
        Assert.Empty(_shard.PendingItems());
    }
}
