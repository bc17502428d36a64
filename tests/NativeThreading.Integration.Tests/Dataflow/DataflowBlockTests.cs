using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using NativeThreading.Tests.Support;

namespace NativeThreading.Integration.Dataflow;

/// <summary>Blocks that run on the pool, one by one and linked.</summary>
public sealed class DataflowBlockTests : DataflowTest
{
    private readonly Ledger _ledger = new(Operations);

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(DataflowBlockOptions.Unbounded)]
    public async Task ActionBlock_TakesEachItemOnceAndKeepsToItsDegree(int degree)
    {
        int inside = 0;
        int overruns = 0;
        var block = new ActionBlock<int>(
            i =>
            {
                Trace.Note();
                overruns += Interlocked.Increment(ref inside) > degree && degree > 0 ? 1 : 0;
                _ledger.Enter(i);
                Interlocked.Decrement(ref inside);
            },
            OnPool(degree));
        Assert.All(Enumerable.Range(0, Operations), i => Assert.True(block.Post(i)));
        block.Complete();
        await Deadline.For(block.Completion);
        Assert.Equal(0, overruns);
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task T109_AsyncActionBlock_ResumesOnThePool()
    {
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int inside = 0;
        var block = new ActionBlock<int>(
            async i =>
            {
                Trace.Note();
                if (Interlocked.Increment(ref inside) == Operations)
                {
                    all.SetResult();
                }

                await all.Task; // a thousand in flight
                Trace.Note();
                await Elsewhere.CompleteAsync();
                Trace.Note();
                _ledger.Enter(i);
            },
            OnPool(Operations));
        await Pool.StormAsync(Operations, async i => Assert.True(await block.SendAsync(i)));
        block.Complete();
        await Deadline.For(block.Completion);
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(3 * Operations);
    }

    [Fact]
    public async Task TransformBlock_KeepsTheOrderOfItsInput()
    {
        var transform = new TransformBlock<int, int>(
            async i =>
            {
                for (int yields = i % 7; yields > 0; yields--)
                {
                    await Task.Yield(); // items overtake each other inside
                }

                Trace.Note();
                return i;
            },
            OnPool(16));
        List<int> results = [];
        var collect = new ActionBlock<int>(results.Add, OnPool(1));
        transform.LinkTo(collect, Propagate);
        for (int i = 0; i < Operations; i++)
        {
            Assert.True(transform.Post(i));
        }

        transform.Complete();
        await Deadline.For(collect.Completion);
        Assert.Equal(Enumerable.Range(0, Operations), results);
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task BoundedPipeline_HoldsItsProducersBackAndLosesNothing()
    {
        const int Capacity = 4;
        int sent = 0;
        int finished = 0;
        int tooFar = 0;
        var transform = new TransformBlock<int, int>(
            async i =>
            {
                await Task.Yield();
                return i;
            },
            OnPool(2, Capacity));
        var batch = new BatchBlock<int>(10, new GroupingDataflowBlockOptions { TaskScheduler = Pool.Scheduler, BoundedCapacity = 10 });
        var write = new ActionBlock<int[]>(
            async items =>
            {
                await Task.Yield();
                Trace.Note();
                foreach (int i in items)
                {
                    _ledger.Enter(i);
                    Interlocked.Increment(ref finished);
                }
            },
            OnPool(1, 1));
        transform.LinkTo(batch, Propagate);
        batch.LinkTo(write, Propagate);
        await Deadline.For(Pool.Run(async () =>
        {
            for (int i = 0; i < Operations; i++)
            {
                Assert.True(await transform.SendAsync(i));
                Trace.Note();

                // What all blocks and the batches under way between them can hold.
                tooFar += Interlocked.Increment(ref sent) - Volatile.Read(ref finished) > Capacity + 10 + 10 + 10 ? 1 : 0;
            }

            transform.Complete();
        }));
        await Deadline.For(write.Completion);
        Assert.Equal(0, tooFar);
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations + (Operations / 10));
    }

    [Fact]
    public async Task JoinBroadcastAndTransformMany_RunOnThePool()
    {
        var onPool = new GroupingDataflowBlockOptions { TaskScheduler = Pool.Scheduler };
        var source = new BroadcastBlock<int>(i => i, new DataflowBlockOptions { TaskScheduler = Pool.Scheduler });
        var twice = new TransformManyBlock<int, int>(i => [i, i], OnPool(4));
        var halves = new TransformBlock<int, int>(i => i, OnPool(4));
        var join = new JoinBlock<int, int>(onPool);
        var pairs = new ConcurrentQueue<(int, int)>();
        var collect = new ActionBlock<Tuple<int, int>>(
            pair =>
            {
                Trace.Note();
                pairs.Enqueue((pair.Item1, pair.Item2));
            },
            OnPool(1));
        source.LinkTo(twice, Propagate);
        source.LinkTo(halves, Propagate);
        twice.LinkTo(join.Target1, Propagate);
        halves.LinkTo(join.Target2, Propagate);
        join.LinkTo(collect, Propagate);
        for (int i = 0; i < Operations; i++)
        {
            Assert.True(source.Post(i));
        }

        source.Complete();
        await Deadline.For(collect.Completion);
        Assert.Equal(Enumerable.Range(0, Operations).Select(i => (i / 2, i)), pairs);
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, async held =>
    {
        var transform = new TransformBlock<object, object>(token => token, OnPool(4));
        var end = new ActionBlock<object>(async _ => await Task.Yield(), OnPool(4));
        transform.LinkTo(end, Propagate);
        Array.ForEach(held, token => transform.Post(token));
        transform.Complete();
        await Deadline.For(end.Completion);
    });
}
