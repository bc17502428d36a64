using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>What a waiting worker takes from another one that waits: the oldest item that matches, out of the middle of its queue.</summary>
public sealed class TakeOldestMatchingTests
{
    private static readonly ItemPredicate<int> s_isNumber = static (in WorkItem item, int wanted) => item.Context is int number && number == wanted;

    private readonly Queues _owner = new();

    [Theory]
    [InlineData(5, 0, false)]
    [InlineData(5, 2, false)]
    [InlineData(5, 4, false)]
    [InlineData(5, 2, true)]
    [InlineData(3 * QueueTuning.RingCapacity, (2 * QueueTuning.RingCapacity) + 1, false)]
    [InlineData(3 * QueueTuning.RingCapacity, (2 * QueueTuning.RingCapacity) + 1, true)]
    public void T151_TheItemIsTaken_AndTheOthersStayInOrder(int items, int wanted, bool local)
    {
        for (int number = 0; number < items; number++)
        {
            _owner.Push(number, local);
        }

        Assert.True(_owner.TryTakeNumber(wanted, out WorkItem item));
        Assert.Equal((wanted, wanted), (item.Number(), (int)item.Context!));
        Assert.False(_owner.TryTakeNumber(wanted, out _));
        _owner.Push(items, local);
        Assert.Equal(Enumerable.Range(0, items + 1).Where(number => number != wanted), _owner.Own.PendingItems().Select(static item => item.Number()));
        Assert.Equal(local ? items : 0, _owner.Own.LocalCount);
    }

    [Fact]
    public void OfSeveral_TheOldestIsTaken()
    {
        for (int number = 0; number < 4; number++)
        {
            _owner.Push(number, local: true);
        }

        WorkItem item = default;
        Assert.True(_owner.Own.TryTakeOldestMatching(static (in WorkItem item, int above) => (int)item.Context! > above, 1, new Demand(), ref item));
        Assert.Equal(2, item.Number());
    }

    [Fact]
    public void AnyContext_LooksAtEachUntilOneMatches()
    {
        for (int number = 0; number < 4; number++)
        {
            _owner.Push(number, local: number < 2);
        }

        var seen = new List<int>();
        bool Look(int wanted) => _owner.Own.AnyContext(
            (in WorkItem item, int wanted) =>
            {
                seen.Add((int)item.Context!);
                return seen[^1] == wanted;
            },
            wanted);
        Assert.True(Look(2));
        Assert.Equal([0, 1, 2], seen);
        seen.Clear();
        Assert.False(Look(4));
        Assert.Equal([0, 1, 2, 3], seen);
    }

    [Fact]
    public void T151_BesideThievesAndThePusher_EachItemGoesToOne()
    {
        foreach (int round in RaceTime.Rounds())
        {
            const int items = 60;
            var owner = new Queues();
            int[] taken = new int[items];
            for (int number = 0; number < items / 2; number++)
            {
                owner.Push(number, local: number % 2 == 0);
            }

            StartGate.Run(3, thread =>
            {
                if (thread == 2)
                {
                    for (int number = items / 2; number < items; number++)
                    {
                        Thread.SpinWait(round % 20);
                        owner.Push(number, local: number % 2 == 0);
                    }

                    owner.CountAll(taken);
                    return;
                }

                for (int number = thread; number < items; number += 7)
                {
                    if (owner.TryTakeNumber(number, out WorkItem item))
                    {
                        Interlocked.Increment(ref taken[item.Number()]);
                    }
                }
            });
            owner.CountAll(taken);
            Assert.All(taken, static times => Assert.Equal(1, times));
        }
    }

    /// <summary>A sleeper's last check, while another sleeper takes the item that it waits for itself.</summary>
    [Fact]
    public void T151_WhileOthersAreTakenFromBehindIt_AnItemThatStaysIsSeen()
    {
        foreach (int _ in RaceTime.Rounds())
        {
            const int items = 40;
            var owner = new Queues();
            for (int number = 0; number < items; number++)
            {
                owner.Push(number, local: true);
            }

            StartGate.Run(2, thread =>
            {
                for (int number = items - 1; number > items / 2; number--)
                {
                    Assert.True(thread == 0 ? owner.TryTakeNumber(number, out WorkItem _) : owner.Own.AnyContext(s_isNumber, number % (items / 2)));
                }
            });
        }
    }

    private sealed class Queues
    {
        public WorkerQueues Own = new();

        public void Push(int number, bool local)
        {
            while (!Own.TryPush(Rings.Callback, number, number, local))
            {
                Thread.SpinWait(1); // a worker would queue it elsewhere
            }
        }

        public bool TryTakeNumber(int wanted, out WorkItem item)
        {
            item = default;
            return Own.TryTakeOldestMatching(s_isNumber, wanted, new Demand(), ref item);
        }

        /// <summary>As the owner.</summary>
        public void CountAll(int[] taken)
        {
            WorkItem item = default;
            while (Own.TryTake(ref item))
            {
                Interlocked.Increment(ref taken[item.Number()]);
            }
        }
    }
}
