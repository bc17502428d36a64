using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>What a waiting worker takes from another one that waits: the first item that matches, and what lies before it.</summary>
public sealed class StealThroughTests
{
    // A slot that is looked at without the gate may be empty by then.
    private static readonly ItemPredicate<int> s_isNumber = static (in WorkItem item, int wanted) => item.State is int number && number == wanted;

    private WorkerQueues _owner = new();
    private WorkerQueues _thief = new();

    [Theory]
    [InlineData(5, 0, false)]
    [InlineData(5, 2, false)]
    [InlineData(5, 4, false)]
    [InlineData(5, 2, true)]
    [InlineData(3 * QueueTuning.RingCapacity, (2 * QueueTuning.RingCapacity) + 1, false)]
    [InlineData(3 * QueueTuning.RingCapacity, (2 * QueueTuning.RingCapacity) + 1, true)]
    public void T151_MovesTheItemAndWhatLiesBeforeIt_InOrder(int items, int wanted, bool local)
    {
        for (int number = 0; number < items; number++)
        {
            _owner.Push(Rings.Callback, number, null, local);
        }

        Assert.True(_owner.TryStealThrough(ref _thief, s_isNumber, wanted));
        Assert.Equal(Enumerable.Range(0, wanted + 1), Numbers(_thief));
        Assert.Equal(Enumerable.Range(wanted + 1, items - wanted - 1), Numbers(_owner));
        Assert.Equal(local ? wanted + 1 : 0, _thief.LocalCount);
    }

    [Fact]
    public void WithoutAMatch_NothingMoves()
    {
        _owner.Push(Rings.Callback, 1, null, preferLocal: true);
        _owner.Push(Rings.Callback, 2, null, preferLocal: false);
        Assert.False(_owner.TryStealThrough(ref _thief, s_isNumber, 3));
        Assert.Equal((2, 0), (_owner.Count, _thief.Count));
    }

    /// <summary>The caller has to tell others of what it has now.</summary>
    [Fact]
    public void T9_WhereTheItemIsTakenWhileTheThiefGrows_WhatHasComeAlongIsNotPassedOver()
    {
        const int wanted = QueueTuning.RingCapacity + 1;
        var thief = new Queues();
        for (int number = 0; number <= wanted; number++)
        {
            _owner.Push(Rings.Callback, number, null, preferLocal: true);
        }

        Assert.True(_owner.TryStealThrough(
            ref thief.Own, static (in WorkItem item, Queues thief) => thief.Own.Count == 0 && item.Number() == wanted, thief));
        Assert.Equal(Enumerable.Range(0, QueueTuning.RingCapacity), Numbers(thief.Own));
    }

    [Fact]
    public void Visit_ShowsEachItemUntilItIsEnough()
    {
        for (int number = 0; number < 4; number++)
        {
            _owner.Push(Rings.Callback, number, null, preferLocal: number < 2);
        }

        var seen = new List<int>();
        bool Visit(int last) => _owner.VisitUntil(
            (in WorkItem item, int enough) =>
            {
                seen.Add(item.Number());
                return item.Number() == enough;
            },
            last);
        Assert.True(Visit(2));
        Assert.Equal([0, 1, 2], seen);
        seen.Clear();
        Assert.False(Visit(4));
        Assert.Equal([0, 1, 2, 3], seen);
    }

    [Fact]
    public void T151_BesideThievesAndTheOwner_EachItemGoesToOne()
    {
        foreach (int round in RaceTime.Rounds())
        {
            const int items = 40;
            var owner = new Queues();
            Queues[] thieves = [new(), new()];
            int[] taken = new int[items];
            for (int number = 0; number < items; number++)
            {
                owner.Own.Push(Rings.Callback, number, null, preferLocal: number % 2 == 0);
            }

            void Count(Queues from)
            {
                WorkItem item = default;
                while (from.Own.TryTake(ref item))
                {
                    Interlocked.Increment(ref taken[item.Number()]);
                }
            }

            StartGate.Run(3, thread =>
            {
                if (thread == 2)
                {
                    Thread.SpinWait(round % 20 * 10);
                    Count(owner);
                    return;
                }

                for (int number = thread; number < items; number += 7)
                {
                    owner.Own.TryStealThrough(ref thieves[thread].Own, s_isNumber, number);
                }

                Count(thieves[thread]);
            });
            Count(owner);
            Assert.All(taken, static times => Assert.Equal(1, times));
        }
    }

    private static IEnumerable<int> Numbers(in WorkerQueues queues) => queues.PendingItems().Select(static item => item.Number());

    private sealed class Queues
    {
        public WorkerQueues Own = new();
    }
}
