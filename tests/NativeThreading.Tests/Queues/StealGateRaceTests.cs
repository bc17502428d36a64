using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>Owner and thieves exclude each other, however the owner spends its time.</summary>
public sealed class StealGateRaceTests
{
    public static TheoryData<int, int, int> Shapes() => new()
    {
        { 1, 0, 0 }, // the owner passes its gate all the time: it gives
        { 3, 0, 0 },
        { 1, 0, 2_000 }, // the owner is outside for longer than a thief polls: thieves enter by the barrier
        { 3, 0, 2_000 },
        { 2, 0, 60 }, // about the time for which a thief waits for an answer: the two paths meet
        { 0, 2, 0 }, // demands alone
        { 1, 1, 60 },
        { 2, 1, 2_000 },
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public void AtMostOneIsInside(int thieves, int demanders, int spinsOutside)
    {
        var queues = new GatedQueues();
        long entered = 0; // counts the entries of all, and is written inside only, by plain stores
        long expected = 0;
        bool stop = false;

        void Owner()
        {
            long round = 0;
            for (Budget budget = Budget.Of(250); round % 64 != 0 || budget.HasTime; round++)
            {
                bool asked = queues.Gate.Enter();
                entered++;
                if (asked)
                {
                    if (queues.Gate.Served.IsGiven)
                    {
                        queues.Gate.Served.TakeFrom(ref queues.Own);
                    }

                    queues.Gate.EndServing();
                }

                queues.Gate.Exit();
                if (spinsOutside != 0)
                {
                    Thread.SpinWait((int)(round % spinsOutside));
                }
            }

            Interlocked.Add(ref expected, round);
            Volatile.Write(ref stop, true);
        }

        void Thief()
        {
            var thief = new TestThief();
            thief.Moving = () =>
            {
                entered++;
                Interlocked.Increment(ref expected); // by either thread: as often as it was inside for this thief
            };
            while (!Volatile.Read(ref stop))
            {
                queues.Own.TryStealFor(thief, Stopwatch.GetTimestamp());
                Thread.SpinWait(20);
            }
        }

        void Demander()
        {
            var demand = new Demand();
            while (!Volatile.Read(ref stop))
            {
                queues.Gate.EnterByForce(demand);
                entered++;
                Interlocked.Increment(ref expected);
                queues.Gate.Leave();
                Thread.SpinWait(200);
            }
        }

        Race.Run([Owner, .. Enumerable.Repeat((Action)Thief, thieves), .. Enumerable.Repeat((Action)Demander, demanders)]);

        Assert.Equal(expected, entered);
    }

    [Fact]
    public void OwnerThatBlocksOutside_DoesNotKeepThievesOut()
    {
        GatedQueues queues = GatedQueues.With(2);
        using var stolen = new ManualResetEventSlim();
        Race.Run(
            () =>
            {
                Assert.Equal(1, queues.Take()); // has been inside, and is now blocked in an item, outside
                Deadline.Wait(stolen);
            },
            () =>
            {
                var thief = new TestThief();
                Deadline.Until(() => thief.TrySteal(ref queues.Own, out _));
                stolen.Set();
            });
        Assert.Equal(0, queues.Own.Count);
    }

    /// <summary>An owner that takes and pushes all the time; a stop that comes meanwhile; thieves; all items are somewhere, once.</summary>
    [Fact]
    public void T39_StopsWhileTheOwnerAndAThiefTake_TakeEachItemOnce()
    {
        foreach (int round in RaceTime.Rounds())
        {
            const int Items = 2_000;
            var queues = new GatedQueues();
            int[] taken = new int[Items];
            int left = 1;
            void Count(IEnumerable<WorkItem> items)
            {
                foreach (WorkItem item in items)
                {
                    Interlocked.Increment(ref taken[item.Number()]);
                }
            }

            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    for (int number = 0; number < Items; number++)
                    {
                        while (!queues.TryPush(number, local: number % 2 == 0))
                        {
                            Thread.SpinWait(1); // a worker would queue it elsewhere
                        }

                        if (number % 3 == round % 3 && queues.Take() is >= 0 and int own)
                        {
                            Interlocked.Increment(ref taken[own]);
                        }
                    }

                    Volatile.Write(ref left, 0);
                    return;
                }

                var thief = new TestThief { Most = QueueTuning.ShardBatch };
                var all = new List<WorkItem>();
                while (Volatile.Read(ref left) != 0)
                {
                    if (thread == 1)
                    {
                        queues.Own.TakeAll(all);
                        Thread.SpinWait(500);
                    }
                    else if (queues.Own.Count != 0 && queues.Own.TryStealFor(thief, Stopwatch.GetTimestamp()))
                    {
                        thief.Own.TakeAll(all);
                    }
                }

                Count(all);
            });
            var rest = new List<WorkItem>();
            queues.Own.TakeAll(rest);
            Count(rest);
            Assert.All(taken, static times => Assert.Equal(1, times));
        }
    }
}
