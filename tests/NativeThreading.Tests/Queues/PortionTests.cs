using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>A portion gives out the items that it began with, in order, each once, and keeps nothing when they are gone.</summary>
public sealed class PortionTests
{
    private readonly Portion _portion = new();

    [Fact]
    public void Portions_OneAfterTheOther_GiveTheirItemsInOrder()
    {
        for (int round = 0; round < 30; round++) // beyond the end of positions, in Debug
        {
            _portion.Begin(Rings.Range(0, 10), first: 3, count: 4);
            Assert.Equal(4, _portion.Count);
            Assert.Equal([3, 4, 5, 6], _portion.TakeAll());
            Assert.Equal(0, _portion.Count);
            Assert.True(_portion.Snapshot.IsEmpty);
        }
    }

    [Fact]
    public void Positions_CountOnFromPortionToPortion()
    {
        _portion.Begin(Rings.Range(0, 10), first: 0, count: 4);
        int end = _portion.Snapshot.Tail;
        _portion.TakeAll();
        Assert.Equal(end, _portion.Snapshot.Head);
        _portion.Begin(Rings.Range(0, 10), first: 7, count: 2);
        Assert.Equal((end, end + 2), (_portion.Snapshot.Head, _portion.Snapshot.Tail));
    }

    [Fact]
    public void TakeState_GivesEachState_AndThenNothing()
    {
        var context = new object();
        _portion.Begin(Rings.Range(0, 3, context), first: 1, count: 2);
        Assert.Equal((Rings.Callback, context), _portion.Kind);
        Assert.Equal([1, 2], [_portion.TakeState(), _portion.TakeState()]);
        Assert.Same(Portion.Nothing, _portion.TakeState());
        Assert.Equal((null, null), _portion.Kind);
    }

    [Theory]
    [InlineData(8, 100, 4)]
    [InlineData(7, 100, 4)]
    [InlineData(8, 3, 3)]
    [InlineData(1, 100, 1)]
    [InlineData(0, 100, 0)]
    public void GiveHalf_GivesTheOlderPart(int count, int most, int given)
    {
        if (count != 0)
        {
            _portion.Begin(Rings.Range(0, 10), first: 1, count);
        }

        var thief = new Portion();
        Assert.Equal(given, _portion.GiveHalf(thief, most));
        Assert.Equal(Enumerable.Range(1, given), thief.TakeAll());
        Assert.Equal(Enumerable.Range(1 + given, count - given), _portion.TakeAll());
    }

    [Fact]
    public void Matching_LooksAtTheContext_AndTakesTheOldest()
    {
        object context = new(), other = new();
        WorkItem item = default;
        Assert.False(Take(context));
        _portion.Begin(Rings.Range(0, 3, context), first: 0, count: 2);
        Assert.False(Take(other));
        Assert.False(_portion.AnyContext(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, other));
        Assert.True(_portion.AnyContext(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, context));
        Assert.True(Take(context));
        Assert.Equal(0, item.Number());
        Assert.Equal([1], _portion.PendingItems().Select(static item => item.Number()));
        Assert.Equal([1], _portion.TakeAll());
        Assert.False(_portion.AnyContext(static (in WorkItem _, object _) => true, context));
        Assert.Empty(_portion.PendingItems());

        bool Take(object wanted) => _portion.TryTakeMatching(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, wanted, ref item);
    }
}
