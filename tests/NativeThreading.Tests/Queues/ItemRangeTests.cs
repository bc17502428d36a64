using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A range in a shard is one entry that counts as its items, and gives them out in order, each once, one by one or in portions.</summary>
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
    public void Transfer_StopsBeforeARange_AndThenClaimsPortionsOfIt()
    {
        AddItem();
        AddRange(5);
        AddItem();
        var lane = new WorkItemRing();
        var portion = new Portion();
        var batch = new MovedBatch();
        Assert.Equal(1, _shard.TryTransfer(lane, portion, most: 7, ref batch));
        Assert.Equal([0], lane.TakeAllOldest());
        long left = 6;
        foreach (int[] numbers in (int[][])[[1, 2, 3], [4], [5]])
        {
            Assert.Equal(left, _shard.Count);
            Assert.Equal(numbers.Length, _shard.TryTransfer(lane, portion, most: 7, ref batch));
            left -= numbers.Length;
            Assert.Equal(left, _shard.Count);
            Assert.Equal(numbers, portion.TakeAll());
            Assert.Equal(0, lane.Count);
        }

        Assert.Equal(1, _shard.TryTransfer(lane, portion, most: 7, ref batch));
        Assert.Equal([6], lane.TakeAllOldest());
        AssertEmpty();
    }

    [Theory]
    [InlineData(100, 1, 1)]
    [InlineData(100, 32, 32)]
    [InlineData(100, 64, 50)]
    [InlineData(9, 64, 8)]
    [InlineData(8, 64, 8)]
    [InlineData(9, 7, 5)]
    [InlineData(1, 128, 1)]
    public void Portion_IsHalfOfWhatIsLeft_UnlessThatIsMuchLessThanAWorkerMayTake(int left, int most, int expected)
    {
        AddRange(left);
        var portion = new Portion();
        var batch = new MovedBatch();
        Assert.Equal(expected, _shard.TryTransfer(new WorkItemRing(), portion, most, ref batch));
        Assert.Equal(expected, portion.Count);
        Assert.Equal(left - expected, _shard.Count);
        Assert.Equal(expected > 1, batch.Since != 0);
        Assert.Equal(left == expected, _shard.IsEmpty);
    }

    [Fact]
    public void WhoeverClaimsTheLastItem_RemovesTheEntry()
    {
        AddRange(3);
        WorkItem item = default;
        Assert.True(_shard.TryTakeNow(ref item));
        Assert.True(_shard.TryTakeNow(ref item));
        Assert.False(_shard.IsEmpty);
        Assert.False(_shard.Snapshot.IsEmpty);
        var portion = new Portion();
        var batch = new MovedBatch();
        Assert.Equal(1, _shard.TryTransfer(new WorkItemRing(), portion, most: 1, ref batch));
        AssertEmpty();
        Assert.Equal([2], portion.TakeAll());
        Assert.False(_shard.TryTake(ref item));
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
        AddRange(3);
        AddItem();
        for (int taken = 0; taken < 3; taken++)
        {
            Assert.Equal(4 - taken, _shard.Count);
            WorkItem item = default;
            bool matches = (matching & (1 << taken)) != 0;
            Assert.True(matches ? _shard.TryTakeMatching(static (in WorkItem _, int _) => true, 0, ref item) : _shard.TryTakeNow(ref item));
            Assert.Equal(taken, item.Number());
        }

        Assert.Equal(1, _shard.Count);
        Assert.Equal([3], TakeAll());
        AssertEmpty();
    }

    [Fact]
    public void Views_ShowTheItemsThatAreLeft()
    {
        AddRange(3);
        AddItem();
        WorkItem item = default;
        Assert.True(_shard.TryTakeNow(ref item));
        Assert.Equal([1, 2, 3], _shard.PendingItems().Select(static item => item.Number()));
        var states = new List<object?>();
        _shard.CopyStates(static (in WorkItem _, int _) => true, 0, states);
        Assert.Equal([1, 2, 3], states.Cast<int>());
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

    private void AddRange(int count, object? context = null)
    {
        _shard.EnqueueRange(Rings.Range(_next, count, context));
        _next += count;
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
