using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A worker's portion is one of its queues: behind the local items, before the lane, and there for whoever looks or takes.</summary>
public sealed class WorkerPortionTests
{
    private const int Items = 8;

    private readonly InjectorQueue _source = new(isOneOrder: true);
    private readonly object _context = new();
    private WorkerQueues _queues = new();

    [Fact]
    public void OwnTakes_LocalItemsFirst_ThenThePortion_ThenTheLane()
    {
        Fetch();
        Push(100, preferLocal: false);
        Push(200, preferLocal: true);
        Assert.Equal(Items + 2, _queues.Count);
        Assert.Equal(Items, _queues.HeldCount);
        Assert.Equal([200, .. Enumerable.Range(0, Items), 100], TakeAll(ref _queues));
        Assert.Equal(0, _queues.Count);
        Assert.True(_queues.HeldCount <= 0);
    }

    [Fact]
    public void LooksOfOthers_AndOfTheDebugger_SeeThePortion()
    {
        Fetch();
        Assert.True(_queues.AnyContext(static (in WorkItem item, object context) => item.Context == context, _context));
        Assert.Equal(Enumerable.Range(0, Items), _queues.PendingItems().Select(static item => item.Number()));
        Assert.Contains(_queues.Snapshots(completed: 0), static queue => !queue.Snapshot.IsEmpty);
        var states = new List<object?>();
        _queues.CopyStates(static (in WorkItem item, object context) => item.Context == context, _context, states);
        Assert.Equal(Enumerable.Range(0, Items), states.Cast<int>());
    }

    [Fact]
    public void T133_WhoeverTakesTheFront_TakesTheOldestOfThePortion()
    {
        Fetch();
        Push(100, preferLocal: false);
        WorkItem item = default;
        Assert.NotEqual(0, _queues.HeldSince);
        Assert.True(_queues.TryTakeFront(ref item));
        Assert.Equal(0, item.Number());
        Assert.True(_queues.TryTakeFromLane(ref item));
        Assert.Equal(1, item.Number());
        Assert.Equal(Items - 2, _queues.HeldCount);
    }

    [Fact]
    public void Thief_TakesTheOlderHalf_AsAnOlderBatch()
    {
        Fetch();
        long since = _queues.HeldSince;
        var thief = new WorkerQueues();
        WorkerQueues.Stolen stolen = _queues.TryStealInto(ref thief, most: 100, localFirst: true);
        Assert.Equal((Items / 2, true), (stolen.Count, stolen.IsBatch));
        Assert.Equal(since, thief.HeldSince);
        Assert.True(thief.HeldSince < _queues.HeldSince);
        Assert.Equal(Enumerable.Range(0, Items / 2), TakeAll(ref thief));
        Assert.Equal(Enumerable.Range(Items / 2, Items / 2), TakeAll(ref _queues));
    }

    [Fact]
    public void WhoHasAPortion_GetsNoOther()
    {
        Fetch();
        int start = 0;
        Assert.Equal(0, _queues.Fetch(_source, ref start, most: Items));
        var thief = new WorkerQueues();
        Assert.Equal(1, thief.Fetch(_source, ref start, most: 1));
        Assert.Equal(0, _queues.TryStealInto(ref thief, most: 100, localFirst: false).Count);
        Assert.Equal([Items], TakeAll(ref thief));
        Assert.Equal(Enumerable.Range(0, Items), TakeAll(ref _queues));
    }

    [Theory, CombinatorialBooleans]
    public void WaiterOfAGroup_TakesWhatMatches(bool isOwn)
    {
        Fetch();
        Assert.False(Take(this));
        for (int number = 0; number < Items; number++)
        {
            Assert.True(Take(_context));
        }

        Assert.False(Take(_context));

        bool Take(object wanted)
        {
            WorkItem item = default;
            ItemPredicate<object> match = static (in WorkItem candidate, object wanted) => candidate.Context == wanted;
            return isOwn ? _queues.TryTakeMatching(match, wanted, ref item) : _queues.TryTakeOldestMatching(match, wanted, ref item);
        }
    }

    [Fact]
    public void WhoTakesAll_TakesThePortionFirst()
    {
        Fetch();
        Push(100, preferLocal: false);
        Push(200, preferLocal: true);
        var items = new List<WorkItem>();
        _queues.TakeAll(items);
        Assert.Equal([.. Enumerable.Range(0, Items), 100, 200], items.Select(static item => item.Number()));
    }

    private void Fetch()
    {
        int start = 0;
        _source.EnqueueRange(Rings.Range(0, 2 * Items, _context));
        Assert.Equal(Items, _queues.Fetch(_source, ref start, most: Items));
    }

    private void Push(int number, bool preferLocal) => _queues.Push(Rings.Callback, number, null, preferLocal);

    private static List<int> TakeAll(ref WorkerQueues queues)
    {
        var numbers = new List<int>();
        WorkItem item = default;
        while (queues.TryTake(ref item))
        {
            numbers.Add(item.Number());
        }

        return numbers;
    }
}
