using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>Sorting a shard finds each matching item once, in order, and never passes a slot that is claimed and not filled.</summary>
public sealed class SortingTests
{
    private static readonly ItemPredicate<int> s_isMultiple = static (in WorkItem item, int of) => item.State is int number && number % of == 0;
    private static readonly Action<object?> s_nothing = static _ => { };

    private readonly InjectorShard _shard = new();
    private readonly InjectorShard _apart = new();

    [Fact]
    public void Sort_MovesMatchingItems_AndLeavesTheOthersInOrder()
    {
        const int count = 5 * InjectorSegment.Size;
        Enqueue(1, count);
        int most = int.MaxValue;
        Assert.True(_shard.Sort(s_isMultiple, 3, _apart, ref most));
        Assert.Equal(int.MaxValue - count, most);
        Assert.Equal((count - (count / 3), count / 3), (_shard.Count, _apart.Count));
        Assert.Equal(Enumerable.Range(1, count).Where(static n => n % 3 == 0), TakeAll(_apart));
        Assert.Equal(Enumerable.Range(1, count).Where(static n => n % 3 != 0), TakeAll(_shard));
        Assert.True(_shard.IsEmpty);
    }

    [Fact]
    public void Sort_LooksAtEachSlotOnce()
    {
        Enqueue(1, 1_000);
        int most = 600;
        _shard.Sort(s_isMultiple, 5_000, _apart, ref most);
        Assert.Equal(0, most);
        most = 600;
        _shard.Sort(s_isMultiple, 5_000, _apart, ref most);
        Assert.Equal(200, most);
        Enqueue(1_001, 1);
        most = 600;
        _shard.Sort(s_isMultiple, 5_000, _apart, ref most);
        Assert.Equal(599, most);
    }

    [Fact]
    public void Sort_WithoutADestination_StopsAtTheFirst_UntilThatIsTaken()
    {
        Enqueue(1, 10);
        for (int look = 0; look < 3; look++)
        {
            int most = 100;
            Assert.True(_shard.Sort(s_isMultiple, 4, destination: null, ref most));
        }

        Assert.Equal([1, 2, 3, 4], Enumerable.Range(0, 4).Select(_ => Take(_shard)));
        int left = 100;
        Assert.True(_shard.Sort(s_isMultiple, 4, destination: null, ref left)); // the 8
        Assert.Equal(100 - 3, left);
        Assert.Equal([5, 6, 7, 8, 9, 10], TakeAll(_shard));
        Assert.False(_shard.Sort(s_isMultiple, 4, destination: null, ref left));
    }

    [Fact]
    public void Sort_BehindTakes_OfWholeSegmentsThatAreUsedAgain_GoesOnWithWhatIsThere()
    {
        for (int round = 0; round < 20; round++)
        {
            int first = 1 + (round * 1_000);
            Enqueue(first, 1_000);
            int most = round * 37;
            _shard.Sort(s_isMultiple, 7, _apart, ref most);
            List<int> left = TakeAll(_shard);
            List<int> moved = TakeAll(_apart);
            Assert.Equal(Enumerable.Range(first, 1_000), left.Concat(moved).Order());
            Assert.All(moved, static n => Assert.Equal(0, n % 7));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void Sort_WaitsAtASlotThatIsClaimedAndNotFilled(int before)
    {
        Enqueue(1, before);
        Action fill = Claim(7);
        Enqueue(14, 1);
        int most = 100;
        Assert.False(_shard.Sort(s_isMultiple, 7, _apart, ref most));
        Assert.False(_shard.IsSorted, "the monitor of a paused pool must look again: the 14 may continue work");
        fill();
        Assert.True(_shard.Sort(s_isMultiple, 7, _apart, ref most));
        Assert.True(_shard.IsSorted);
        Assert.Equal([7, 14], TakeAll(_apart));
        Assert.Equal(Enumerable.Range(1, before), TakeAll(_shard));
        Assert.False(_shard.Sort(s_isMultiple, 7, _apart, ref most));
        Assert.True(_shard.IsSorted, "it is empty");
    }

    [Fact]
    public void Lane_KnowsWhatCameFromOutside_ThroughStealsAndTakesFromTheMiddle()
    {
        var victim = new Owner();
        var thief = new TestThief { Most = 100 };
        Enqueue(1, 64);
        int start = 0;
        Assert.Equal(8, victim.Queues.Fetch(Injector(), ref start, most: 8, out _));
        Assert.Equal(8, victim.Queues.OutsideCount);
        for (int i = 101; i <= 104; i++)
        {
            Assert.True(victim.Queues.TryPush(s_nothing, i, null, preferLocal: false));
        }

        Assert.Equal((8, 4), (victim.Queues.OutsideCount, victim.Queues.ContinuingCount));
        Assert.True(victim.Queues.TryStealFor(thief, Stopwatch.GetTimestamp()));
        Assert.Equal(6, thief.Moved);
        Assert.Equal((2, 4), (victim.Queues.OutsideCount, victim.Queues.ContinuingCount));
        Assert.Equal((6, 0), (thief.Own.OutsideCount, thief.Own.ContinuingCount));

        WorkItem item = default;
        Assert.True(victim.Queues.TryTakeOldestMatching(static (in WorkItem _, int _) => true, 0, new Demand(), ref item)); // one from outside
        Assert.Equal((1, 4), (victim.Queues.OutsideCount, victim.Queues.ContinuingCount));

        Assert.False(victim.Queues.TryTakeContinuing(static _ => false, 0, s_isMultiple, 1_000, new Demand(), ref item));
        Assert.True(victim.Queues.TryTakeContinuing(static _ => true, 0, s_isMultiple, 1_000, new Demand(), ref item));
        Assert.Equal(101, item.State);
        Assert.Equal((1, 3), (victim.Queues.OutsideCount, victim.Queues.ContinuingCount));
        Assert.True(thief.Own.TryTakeContinuing(static _ => true, 0, s_isMultiple, 3, new Demand(), ref item)); // the third of those from outside
        Assert.Equal(3, item.State);
        Assert.False(thief.Own.TryTakeContinuing(static _ => true, 0, s_isMultiple, 1_000, new Demand(), ref item));
        Assert.Equal((5, 0), (thief.Own.OutsideCount, thief.Own.ContinuingCount));
    }

    private static int Take(InjectorShard shard)
    {
        WorkItem item = default;
        Assert.True(shard.TryTake(ref item));
        return (int)item.State!;
    }

    private static List<int> TakeAll(InjectorShard shard)
    {
        var taken = new List<int>();
        WorkItem item = default;
        while (shard.TryTake(ref item))
        {
            taken.Add((int)item.State!);
        }

        return taken;
    }

    private static InjectorQueue Injector()
    {
        var queue = new InjectorQueue(isOneOrder: true);
        for (int i = 1; i <= 64; i++)
        {
            queue.Enqueue(s_nothing, i, null);
        }

        return queue;
    }

    private void Enqueue(int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            _shard.Enqueue(s_nothing, i, null);
        }
    }

    /// <summary>A producer claims the next slot; it fills it when the result is called.</summary>
    private Action Claim(int number)
    {
        InjectorSegment last = PoolProbe.LastSegmentOf(_shard);
        Assert.True(last.TryClaim(out int ticket));
        return () => last.Fill(ticket, s_nothing, number, null);
    }

    private sealed class Owner
    {
        public WorkerQueues Queues = new();
    }
}
