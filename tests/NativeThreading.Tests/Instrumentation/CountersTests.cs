#if COUNTERS
using System.Diagnostics;
#endif
using NativeThreading.Instrumentation;
#if COUNTERS
using NativeThreading.Queues;
using NativeThreading.Simulation;
using NativeThreading.Tests.Queues;
#endif
using NativeThreading.Tests.Support;
#if COUNTERS
using NativeThreading.Tuning;
using NativeThreading.Workloads;
using NativeThreading.Workloads.Scale;
#endif

namespace NativeThreading.Tests.Instrumentation;

/// <summary>One build (-p:Counters=true) counts what a pool does; all others count nothing.</summary>
public sealed class CountersTests
{
#if !COUNTERS
    [Fact]
    public void UsualBuild_CountsNothing()
    {
        Assert.False(Counters.IsOn);
        using (var pool = new NativeThreadPool())
        {
            Deadline.Wait(pool.Run(static () => { }));
        }

        Assert.All(Counters.Read(), static sum => Assert.Equal(0, sum));
    }
#else
    private static readonly Action<object?> s_nothing = static _ => { };

    [Fact]
    public void Shard_CountsTicketsTakesAndTransfers()
    {
        const int Items = QueueTuning.SegmentSize + 1; // one ticket more: that of the segment that is full
        long[] before = Counters.ReadOfThisThread();
        var shard = new InjectorShard();
        for (int i = 0; i < Items; i++)
        {
            Assert.True(shard.Enqueue(s_nothing, null, null));
        }

        var lane = new WorkItemRing();
        var batch = new MovedBatch();
        WorkItem item = default;
        int left = Items;
        foreach (int moved in (int[])[1, 2, 3, 32])
        {
            Assert.Equal(moved, shard.TryTransfer(lane, moved, ref batch, out _));
            left -= moved;
        }

        for (; left > 0; left--)
        {
            Assert.True(shard.TryTakeNow(ref item));
        }

        Assert.False(shard.TryTakeNow(ref item));
        long[] counts = Since(before);
        Assert.Equal(Items + 1, Of(counts, Counted.Ticket));
        Assert.Equal(1, Of(counts, Counted.TicketMiss));
        Assert.Equal(Items, Of(counts, Counted.ShardTake));
        Assert.Equal(Items - 38 + 4, Of(counts, Counted.ShardLock));
        Assert.Equal(0, Of(counts, Counted.ShardLockMiss));
        Assert.Equal([1, 2, 0, 0, 0, 1, 0, 0], counts[(int)Counted.TransferSizes..(int)Counted.StealSizes]);
    }

    [Fact]
    public void Queues_CountPushesPassesAndWhatIsStolen()
    {
        var owner = new WorkerQueues();
        var thief = new TestThief { Most = 128 };
        WorkItem item = default;
        long[] before = Counters.ReadOfThisThread();
        for (int i = 0; i < 20; i++)
        {
            Assert.True(owner.TryPush(s_nothing, 0, null, preferLocal: i < 12));
        }

        Assert.True(owner.TryStealFor(thief, Stopwatch.GetTimestamp()));
        Assert.Equal(4, thief.Moved); // half of the lane
        Assert.True(thief.Own.TryStealFor(new TestThief(), Stopwatch.GetTimestamp()));
        Assert.True(owner.TryTake(ref item));

        long[] counts = Since(before);
        Assert.Equal(12, Of(counts, Counted.DequePush));
        Assert.Equal(8, Of(counts, Counted.LanePush));
        Assert.Equal(1, Of(counts, Counted.GatePass));
        Assert.Equal(2, Of(counts, Counted.StealTry));
        Assert.Equal(2, Of(counts, Counted.StealBarrier)); // no other thread passes the gate meanwhile
        Assert.Equal(0, Of(counts, Counted.StealMiss));
        Assert.Equal(0, Of(counts, Counted.Give));
        Assert.Equal(4, Of(counts, Counted.StolenItem));
        Assert.Equal([0, 0, 1, 0, 0, 0, 0, 0], counts[(int)Counted.StealSizes..]);
    }

    /// <summary>A thread that takes by force leaves its demand standing while the owner steps in and out, and does not pass a barrier for each attempt.</summary>
    [Fact]
    public void TakesByForce_OfABusyOwner_PassOneBarrierEach()
    {
        const int Takes = 50;
        var queues = GatedQueues.With(0);
        long[] barriers = [];
        bool stop = false;
        Race.Run(
            () =>
            {
                while (!Volatile.Read(ref stop))
                {
                    for (int i = 0; i < 64; i++)
                    {
                        queues.TryPush(i);
                    }

                    for (int i = 0; i < 32; i++)
                    {
                        queues.Take();
                    }
                }
            },
            () =>
            {
                long[] before = Counters.ReadOfThisThread();
                for (int i = 0; i < Takes; i++)
                {
                    Deadline.Until(() => queues.Own.Count != 0);
                    queues.Gate.EnterByForce(new Demand());
                    queues.Gate.Leave();
                }

                barriers = Since(before);
                Volatile.Write(ref stop, true);
            });
        Assert.Equal(Takes, Of(barriers, Counted.StealBarrier));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Pool_CountsThePlan(int workers)
    {
        using OwnPool pool = ScaleRun.CreatePool(workers);
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            (long[] counts, _) = ScaleRun.Measure(pool, shape, workers);
            long fromOutside = shape switch
            {
                ScaleShape.QuwiGlobal or ScaleShape.QuwiLocal => workers,
                ScaleShape.Skynet => 1,
                ScaleShape.FanOut => ScalePlan.FanOutItems * ScalePlan.FanOutRounds,
                _ => ScalePlan.Requests,
            };
            Assert.Equal(fromOutside, Of(counts, Counted.Ticket) - Of(counts, Counted.TicketMiss));
            Assert.Equal(fromOutside, Of(counts, Counted.ShardTake));
            Assert.Equal(ScalePlan.Items(shape, workers) - fromOutside, Of(counts, Counted.DequePush) + Of(counts, Counted.LanePush));
            Assert.Equal(Of(counts, Counted.LookBegin) > 0, Of(counts, Counted.LookEnd) > 0);

            // Every worker was announced before and is so again: a worker that was woken or took its announcement back has made another.
            Assert.InRange(Of(counts, Counted.RequestWoke), 1, Of(counts, Counted.Announce));
            Assert.InRange(Of(counts, Counted.ParkBarrier), 0, workers == 1 ? 0 : Of(counts, Counted.Announce));
        }
    }

    /// <summary>What follows from the protocol alone, whichever thread is pre-empted. The table scale shows the rest.</summary>
    [Fact]
    public void PoolWithTwoWorkers_CountsWhatTheSimulationCounts()
    {
        const int Workers = 2;
        using OwnPool pool = ScaleRun.CreatePool(Workers);
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            (long[] counts, _) = ScaleRun.Measure(pool, shape, Workers);
            long[] simulated = new Plan(shape, Workers).Simulate().Counts;
            foreach (Measure measure in Measure.All.Where(static measure => measure.Name is "ticket-writes" or "own-tail-writes" or "gate-writes"))
            {
                double counted = measure.Of(counts);
                Assert.True(measure.Of(simulated) >= 0.7 * counted && measure.Of(simulated) <= 1.3 * counted,
                    $"{shape}, {measure.Name}: {counted} counted, {measure.Of(simulated)} simulated");
            }
        }
    }

    [Fact]
    public void EndedThread_LeavesItsCounts()
    {
        long before = Of(Counters.Read(), Counted.Ticket);
        var thread = new Thread(static () => new InjectorShard().Enqueue(s_nothing, null, null));
        thread.UnsafeStart();
        Deadline.Join(thread);
        Assert.Equal(before + 1, Of(Counters.Read(), Counted.Ticket));
    }

    private static long[] Since(long[] before) => [.. Counters.ReadOfThisThread().Zip(before, static (now, then) => now - then)];

    private static long Of(long[] counts, Counted what) => counts[(int)what];
#endif
}
