using NativeThreading.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>Since when the item at the head of a queue has been there, from looks at both ends.</summary>
public sealed class QueueHistoryTests
{
    private readonly QueueHistory _history = new();

    [Fact]
    public void EmptyQueue_HasNoOldestItem() => Assert.Null(Look(0, 0, now: 5));

    [Fact]
    public void ItemThatStays_IsAsOldAsTheFirstLookAtIt()
    {
        Assert.Equal(10, Look(0, 1, now: 10));
        Assert.Equal(10, Look(0, 1, now: 20));
        Assert.Equal(10, Look(0, 9, now: 30));
    }

    [Fact]
    public void HeadThatMovesThroughABacklog_IsAsOldAsTheFirstLookThatReachedIt()
    {
        Look(0, 100, now: 10);
        Look(50, 200, now: 20);
        Assert.Equal(10, Look(99, 300, now: 30)); // the last one that was there at 10
        Assert.Equal(20, Look(100, 300, now: 31));
        Assert.Equal(20, Look(199, 300, now: 32));
        Assert.Equal(30, Look(200, 300, now: 33));
    }

    [Fact]
    public void QueueThatWasEmptyInBetween_BeginsAnew()
    {
        Look(0, 1, now: 10);
        Assert.Null(Look(1, 1, now: 20));
        Assert.Equal(30, Look(1, 2, now: 30));
    }

    [Fact]
    public void ItemTakenAtTheTail_DoesNotLendItsAgeToTheOneInItsPlace()
    {
        Look(0, 1, removed: 0, now: 10);
        Assert.Equal(20, Look(0, 1, removed: 1, now: 20)); // taken, and another queued
    }

    [Fact]
    public void ItemBelowThoseTakenAtTheTail_KeepsItsAge()
    {
        Look(0, 10, removed: 0, now: 10);
        Assert.Equal(10, Look(0, 9, removed: 5, now: 20)); // at most 6 of the 10 have gone
        Assert.Equal(20, Look(4, 9, removed: 5, now: 30)); // maybe one of the later ones
    }

    [Fact]
    public void PositionsThatWrap_AreComparedByTheirDistance()
    {
        Assert.Equal(10, Look(int.MaxValue - 1, unchecked(int.MaxValue + 2), now: 10));
        Assert.Equal(10, Look(unchecked(int.MaxValue + 1), unchecked(int.MaxValue + 9), now: 20));
        Assert.Equal(20, Look(unchecked(int.MaxValue + 5), unchecked(int.MaxValue + 9), now: 30));
    }

    [Fact]
    public void ManyLooks_AreThinnedOut_AndNeverMakeAnItemOlder()
    {
        const int length = 1_000; // one item comes and one goes at each moment: each waits for so long
        for (int now = 1; now <= 20_000; now++)
        {
            long since = Look(Math.Max(0, now - length), now, now: now)!.Value;
            long age = now - since;
            Assert.InRange(age, now <= length ? now - 1 : length * 8 / 10, length);
        }
    }

    private long? Look(int head, int tail, long now, int removed = 0) => _history.Add(new QueueSnapshot(head, tail, removed), now);
}
