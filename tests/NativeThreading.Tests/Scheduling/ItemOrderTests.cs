using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T133: when a worker searches for a late batch of another one, and which one it finds. The tests tell the time.</summary>
public sealed class ItemOrderTests : IDisposable
{
    private const int Items = 5;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly PoolState _state = new(new NativeThreadPoolOptions(), isLimited: false);
    private readonly Worker _other;
    private readonly Worker _third;
    private readonly Worker _searcher;
    private readonly ItemOrder _order;
    private readonly TestThief _thief = new();

    public ItemOrderTests()
    {
        (_other, _searcher, _third) = (new Worker(_pool, 0), new Worker(_pool, 1), new Worker(_pool, 2));
        _state.Workers = [_third, _searcher, _other];
        _order = new ItemOrder(_searcher, _state);
    }

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void T133_BatchThatWasSeen_IsFoundAsSoonAsItIsLate_UntilItIsOver()
    {
        MoveBatch(_other);
        long late = _other.Queues.HeldSince + WorkerTuning.LateBatch;
        Assert.Null(_order.FindOlder(late - 1, evenInTime: false));
        TakeAllOf(_other, late);
        Assert.Null(_order.FindOlder(late, evenInTime: false));
    }

    [Fact]
    public void T133_LateBatches_AreFoundOneAfterTheOther_OldestFirst()
    {
        MoveBatch(_other);
        WaitForTheNextTick();
        MoveBatch(_third); // younger
        long late = _third.Queues.HeldSince + WorkerTuning.LateBatch;
        TakeAllOf(_other, late);
        TakeAllOf(_third, late);
        Assert.Null(_order.FindOlder(late, evenInTime: false));
    }

    [Fact]
    public void T133_BatchThatWasNotSeen_IsFoundByTheNextSearch()
    {
        long now = Stopwatch.GetTimestamp() + (3600 * Stopwatch.Frequency);
        Assert.Null(_order.FindOlder(now, evenInTime: false)); // no worker holds one
        MoveBatch(_other); // late by the time that the test tells: an hour ahead, longer than this thread may stand still
        Assert.Null(_order.FindOlder(now + WorkerTuning.TimeBetweenSearches - 1, evenInTime: false));
        Assert.Same(_other, _order.FindOlder(now + WorkerTuning.TimeBetweenSearches, evenInTime: false));
    }

    [Fact]
    public void T133_WorkerWithLongItems_SearchesEachTime()
    {
        long now = Stopwatch.GetTimestamp();
        Assert.Null(_order.FindOlder(now, evenInTime: true));
        MoveBatch(_other);
        Assert.Same(_other, _order.FindOlder(now, evenInTime: true));
        Assert.Null(_order.FindOlder(now, evenInTime: false)); // it is not late, and so not kept for others
    }

    [Fact]
    public void T133_LateBatchThatIsOver_IsNotTakenForTheNextOneOfItsWorker()
    {
        MoveBatch(_other);
        long late = _other.Queues.HeldSince + WorkerTuning.LateBatch;
        TakeAllOf(_other, late);
        WaitForTheNextTick();
        MoveBatch(_other);
        Assert.Null(_order.FindOlder(late, evenInTime: false));
    }

    [Fact]
    public void T133_LateBatchThatWasFound_TakesNoOtherSearch_UntilTheWorkerHasNothingToDo()
    {
        MoveBatch(_other);
        long late = _other.Queues.HeldSince + WorkerTuning.LateBatch;
        Assert.Same(_other, _order.FindOlder(late, evenInTime: false));
        _state.Workers = []; // a search would find no worker
        Assert.Same(_other, _order.FindOlder(late, evenInTime: false));
        _order.NoteIdle(late);
        Assert.Null(_order.FindOlder(late, evenInTime: false));
    }

    [Fact]
    public void T133_LateBatch_WaitsForWhatTheSearcherHasQueuedForItself()
    {
        MoveBatch(_other);
        long late = _other.Queues.HeldSince + WorkerTuning.LateBatch;
        Assert.Same(_other, _order.FindOlder(late, evenInTime: false));
        _searcher.Publish(static _ => { }, null, null, preferLocal: true);
        Assert.Null(_order.FindOlder(late, evenInTime: false));
    }

    [Fact]
    public void T133_OwnBatch_ComesBeforeAYoungerOne()
    {
        MoveBatch(_searcher);
        MoveBatch(_other);
        Assert.Null(_order.FindOlder(_other.Queues.HeldSince + WorkerTuning.LateBatch, evenInTime: true));
    }

    /// <summary>The owner that gives marks the batch of the thief, which may have lost its processor: else no other worker would see it.</summary>
    [Fact]
    public void T133_BatchThatWasGiven_IsMarkedBeforeTheThiefKnowsOfIt()
    {
        foreach (int _ in RaceTime.Rounds())
        {
            const int most = 10_000;
            int given = 0;
            Publish(_other, most);
            var thief = new Thief(_searcher, _state, new QueueScan(_searcher, _state), _order);
            for (long now = Stopwatch.GetTimestamp(); _order.MostPerBatch < QueueTuning.ShardBatch; now++)
            {
                CompletedOf(_searcher).Value += 1_000; // its items have been short: it may hold many
                _order.NoteStolen(now);
            }

            int holders = _state.Injector.HolderCount;
            Race.Run(
                () => thief.TrySteal(),
                () =>
                {
                    WorkItem item = default;
                    for (int i = 0; i < most && given == 0; i++)
                    {
                        _other.Queues.TryTake(ref item);
                        given = _searcher.PendingCount;
                    }

                    Assert.True(given <= 1 || _state.Injector.HolderCount == holders + 1, "The owner has given a batch that is not marked.");
                });
            Empty(_other);
            Empty(_searcher);
            _order.EndHolding();
            Assert.Equal(0, _state.Injector.HolderCount);
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_completed")]
    private static extern ref OwnCounter CompletedOf(Worker worker);

    private static void Publish(Worker worker, int items)
    {
        for (int i = 0; i < items; i++)
        {
            worker.Publish(Rings.Callback, i, null, preferLocal: false);
        }
    }

    private static void Empty(Worker worker) => worker.Queues.TakeAll([]);

    private static void WaitForTheNextTick()
    {
        long now = Stopwatch.GetTimestamp();
        while (Stopwatch.GetTimestamp() == now)
        {
        }
    }

    private void TakeAllOf(Worker worker, long now)
    {
        for (int left = Items; left > 0; left--)
        {
            Assert.Same(worker, _order.FindOlder(now, evenInTime: false));
            Assert.True(_thief.TrySteal(ref worker.Queues, out _));
        }
    }

    private void MoveBatch(Worker worker)
    {
        for (int i = 0; i < 2 * Items; i++)
        {
            _state.Injector.Enqueue(Rings.Callback, 0, null);
        }

        int start = 0;
        Assert.Equal(Items, worker.Queues.Fetch(_state.Injector, ref start, Items, out _));
        worker.Order.BeginHolding();
    }
}
