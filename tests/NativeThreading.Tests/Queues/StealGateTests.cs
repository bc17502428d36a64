using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>The gate step by step: what a thief gets, and what an owner gives.</summary>
public sealed class StealGateTests
{
    private readonly GatedQueues _queues = new();
    private readonly TestThief _thief = new();

    [Fact]
    public void OwnerOutside_ThiefEntersByTheBarrier()
    {
        // The owner never passes the gate here, so that it cannot give.
        Assert.Equal(GateAnswer.Entered, Ask(_queues, _thief));
        Assert.True(_queues.Gate.IsAsked);
        _queues.Gate.Leave();
        Assert.False(_queues.Gate.IsAsked);
    }

    [Fact]
    public void OwnerInside_ThiefGivesUpAndTheGateIsFreeAgain()
    {
        Assert.False(_queues.Gate.Enter());

        GateAnswer answer = GateAnswer.Entered;
        Race.Run(() => answer = Ask(_queues, _thief));
        Assert.Equal(GateAnswer.Missed, answer);

        _queues.Gate.Exit();
        Assert.False(_queues.Gate.Enter()); // finds no request: the thief has withdrawn its own
        _queues.Gate.Exit();
        Race.Run(() => answer = Ask(_queues, _thief));
        Assert.Equal(GateAnswer.Entered, answer);
    }

    [Fact]
    public void ThiefInside_SecondThiefIsRefusedAtOnce_HoweverLateItIs()
    {
        Assert.Equal(GateAnswer.Entered, Ask(_queues, _thief));
        Assert.Equal(GateAnswer.Missed, Ask(_queues, new TestThief()));
        Assert.Equal(GateAnswer.Missed, _queues.Gate.Ask(new TestThief(), GatedQueues.MuchLater, polls: 0)); // items are being moved
        _queues.Gate.Leave();
        Assert.Equal(GateAnswer.Entered, Ask(_queues, _thief));
    }

    [Fact]
    public void ThiefInside_OwnerWaitsUntilItLeaves()
    {
        for (int round = 0; round < 20; round++)
        {
            Assert.Equal(GateAnswer.Entered, Ask(_queues, _thief));
            long left = 0;
            Race.Run(
                () =>
                {
                    Assert.False(_queues.Gate.Enter());
                    Assert.Equal(1, Volatile.Read(ref left));
                    Assert.Equal(GateAnswer.Missed, Ask(_queues, new TestThief()));
                    _queues.Gate.Exit();
                },
                () =>
                {
                    Thread.SpinWait(round * 500); // so that the owner comes before the end, at it and after it
                    Volatile.Write(ref left, 1);
                    _queues.Gate.Leave();
                });
        }
    }

    /// <summary>The thief never enters. The items are in its queues when the owner continues, whether or not the thief has a processor then.</summary>
    [Fact]
    public void OwnerThatTakes_GivesHalfOfTheRest_AndContinues()
    {
        GatedQueues queues = GatedQueues.With(21);
        var thief = new TestThief { Most = 128 };
        GateAnswer answer = queues.AskWhile(thief, () =>
        {
            Assert.Equal(20, queues.Take());
            Assert.Equal((10, 10), (queues.Own.Count, thief.Own.Count));
            Assert.False(queues.Gate.IsAsked); // free for other thieves before this one has seen the answer
        });
        Assert.Equal((GateAnswer.Given, 10), (answer, thief.Moved));
        Assert.Equal(Enumerable.Range(0, 10), thief.Own.PendingItems().Select(static item => item.Number()));
    }

    [Fact]
    public void OwnerThatPushes_Gives()
    {
        GatedQueues queues = GatedQueues.With(QueueTuning.LeastToGiveFromPush);
        GateAnswer answer = queues.AskWhile(_thief, () => Assert.True(queues.TryPush(100)));
        Assert.Equal((GateAnswer.Given, 1), (answer, _thief.Own.Count));
    }

    /// <summary>An owner that feeds itself one item at a time: its chain would run three times slower on two workers.</summary>
    [Fact]
    public void OwnerWithOneItem_RunsItItself()
    {
        GateAnswer answer = _queues.AskWhile(_thief, () =>
        {
            Assert.True(_queues.TryPush(7));
            Assert.Equal((1, 0), (_queues.Own.Count, _thief.Own.Count));
            Assert.Equal(7, _queues.Take());
        });
        Assert.Equal((GateAnswer.Missed, 0), (answer, _thief.Moved));
    }

    [Fact]
    public void OwnerThatTakesAMatchingItem_DoesNotGiveItAway()
    {
        GatedQueues queues = GatedQueues.With(2);
        queues.AskWhile(_thief, () =>
        {
            WorkItem item = default;
            Assert.True(queues.Own.TryTakeMatching(static (in WorkItem item, int wanted) => item.Number() == wanted, 0, ref item)); // the oldest: the next to be given
        });
        Assert.Equal([1], _thief.Own.PendingItems().Select(static item => item.Number()));
    }

    /// <summary>Counts see it, others take it: the thief may have lost its processor for long.</summary>
    [Fact]
    public void SingleItem_ThatWasGiven_IsInTheThiefsQueues()
    {
        GatedQueues queues = GatedQueues.With(3, local: false);
        queues.AskWhile(_thief, () => Assert.Equal(0, queues.Take()));
        Assert.Equal(1, _thief.Own.Count);
        Assert.True(new TestThief().TrySteal(ref _thief.Own, out int number));
        Assert.Equal(1, number);
        var all = new List<WorkItem>();
        _thief.Own.TakeAll(all);
        Assert.Empty(all);
    }

    [Fact]
    public void SingleItem_OfAThiefWithAFullDeque_GoesIntoItsLane()
    {
        for (int number = 0; number < QueueTuning.RingCapacity; number++)
        {
            Assert.True(_thief.Own.TryPush(Rings.Callback, -1, null, preferLocal: true));
        }

        GatedQueues queues = GatedQueues.With(1);
        Assert.True(queues.Own.TryStealFor(_thief, Stopwatch.GetTimestamp()));
        WorkItem item = default;
        Assert.True(_thief.Own.TryTakeOf(lane: true, ref item));
        Assert.Equal(0, item.Number());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ThiefWithoutProcessor_KeepsNeitherThievesOutNorAStop(bool stops)
    {
        GatedQueues queues = GatedQueues.With(2);
        var all = new List<WorkItem>();
        GateAnswer answer = queues.AskWhile(_thief, () =>
        {
            // The owner is in a long item.
            Assert.Equal(GateAnswer.Missed, queues.Gate.Ask(new TestThief(), now: 0, polls: 0)); // the request is young
            if (stops)
            {
                queues.Own.TakeAll(all);
            }
            else
            {
                var second = new TestThief();
                Assert.True(queues.Own.TryStealFor(second, GatedQueues.MuchLater));
                Assert.Equal(1, second.Own.Count);
            }
        });
        Assert.Equal((GateAnswer.Missed, 0), (answer, _thief.Own.Count));
        Assert.Equal(stops ? 2 : 0, all.Count);
    }

    [Fact]
    public void Demand_IsNotServed_AndTheOwnerStepsInAndOutMeanwhile()
    {
        GatedQueues queues = GatedQueues.With(100);
        var all = new List<WorkItem>();
        queues.AskWhile(new Demand(), () =>
        {
            for (int number = 100; number < QueueTuning.RingCapacity; number++) // a ring that grows lets the demander in
            {
                Assert.True(queues.TryPush(number)); // gives nothing
                Assert.True(queues.Gate.IsAsked);
            }

            for (int number = QueueTuning.RingCapacity - 1; number >= 50; number--)
            {
                Assert.Equal(number, queues.Take()); // from the first one on, the demander may enter in between
            }

            queues.Own.TakeAll(all); // displaces it if it still stands
        });
        Assert.Equal(Enumerable.Range(0, 50), all.Select(static item => item.Number()));
        Assert.False(queues.Gate.IsAsked);
    }

    [Fact]
    public void ThiefInside_PushNeverWaits_NotEvenWhereTheQueueIsFull()
    {
        Assert.Equal(GateAnswer.Entered, Ask(_queues, _thief));
        for (int number = 0; number < QueueTuning.RingCapacity; number++)
        {
            Assert.True(_queues.TryPush(number));
        }

        Assert.False(_queues.TryPush(-1));
        Assert.Equal(GateAnswer.Missed, Ask(_queues, new TestThief())); // the gate is as it was: the thief inside
        _queues.Gate.Leave();
        Assert.True(_queues.TryPush(-1));
        Assert.Equal(QueueTuning.RingCapacity + 1, _queues.Own.Count);
    }

    [Fact]
    public void RequestStands_FullQueueGrows_AndTheOwnerGives()
    {
        GatedQueues queues = GatedQueues.With(QueueTuning.RingCapacity);
        var thief = new TestThief { Most = 128 };
        queues.AskWhile(thief, () => Assert.True(queues.TryPush(-1)));
        Assert.InRange(thief.Own.Count, 1, (QueueTuning.RingCapacity / 2) + 1);
        Assert.Equal(QueueTuning.RingCapacity + 1, thief.Own.Count + queues.Own.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void GiveThatThrows_EndsTheRequest(bool fromPush)
    {
        GatedQueues queues = GatedQueues.With(2 * QueueTuning.LeastToGiveFromPush);
        _thief.Moving = static () => throw new InvalidOperationException("In the middle of a give.");
        GateAnswer answer = queues.AskWhile(_thief, () => Assert.Throws<InvalidOperationException>(() =>
        {
            _ = fromPush ? queues.TryPush(100) : queues.Take() >= 0;
        }));
        Assert.Equal(GateAnswer.Missed, answer);
        _thief.Moving = null;
        Assert.True(queues.Own.TryStealFor(_thief, Stopwatch.GetTimestamp()));
        Assert.NotEqual(-1, queues.Take());
    }

    private static GateAnswer Ask(GatedQueues queues, StealRequest request) =>
        queues.Gate.Ask(request, Stopwatch.GetTimestamp(), SpinTuning.AskPolls);
}
