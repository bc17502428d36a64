using System.Collections.Concurrent;

namespace NativeThreading.Integration.ParallelLoops;

/// <summary>Parallel.For, ForEach and Invoke on the pool's scheduler.</summary>
public sealed class ParallelLoopTests : PoolTest
{
    private readonly Ledger _ledger = new(Operations);

    [Fact]
    public void For_CalledFromOutside_RunsEachIndexOnceOnThePool()
    {
        ParallelLoopResult result = default;
        Deadline.Wait(Task.Run(() => result = Parallel.For(0, Operations, OnPool(), Visit)));
        Assert.True(result.IsCompleted);
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(64)]
    public async Task ForEach_CalledOnThePool_KeepsToItsDegree(int degree)
    {
        int inside = 0;
        int overruns = 0;
        ParallelOptions options = OnPool();
        options.MaxDegreeOfParallelism = degree;
        await Deadline.For(Pool.Run(() => Parallel.ForEach(Enumerable.Range(0, Operations), options, i =>
        {
            if (Interlocked.Increment(ref inside) > degree)
            {
                Interlocked.Increment(ref overruns);
            }

            Visit(i);
            Interlocked.Decrement(ref inside);
        })));
        Assert.Equal(0, overruns);
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    /// <summary>Sixteen iterations that wait for one another: the loop asks for sixteen, and the pool replaces its blocked workers.</summary>
    [Fact]
    public async Task T88_IterationsThatBlock_AreJoinedByFurtherOnes()
    {
        const int Together = 16;
        using var all = new CountdownEvent(Together);
        OrderablePartitioner<int> oneByOne = Partitioner.Create(Enumerable.Range(0, Together), EnumerablePartitionerOptions.NoBuffering);
        ParallelOptions options = OnPool();
        options.MaxDegreeOfParallelism = Together;
        await Deadline.For(Pool.Run(() => Parallel.ForEach(oneByOne, options, i =>
        {
            Visit(i);
            all.Signal();
            Assert.True(all.Wait(Deadline.Time), "sixteen at once");
        })));
        Trace.AssertOnThePool(Together);
    }

    [Fact]
    public async Task LocalValues_AreMadeAndFoldedOncePerBranch()
    {
        int made = 0;
        int folded = 0;
        long sum = 0;
        await Deadline.For(Pool.Run(() => Parallel.For(
            0,
            Operations,
            OnPool(),
            () =>
            {
                Interlocked.Increment(ref made);
                return 0L;
            },
            (i, _, local) =>
            {
                Visit(i);
                return local + i;
            },
            local =>
            {
                Interlocked.Increment(ref folded);
                Interlocked.Add(ref sum, local);
            })));
        Assert.Equal(made, folded);
        Assert.Equal(Operations * (Operations - 1L) / 2, sum);
        _ledger.AssertEachOnce();
    }

    /// <summary>Every iteration waits for a loop of its own: with more loops than threads, each must help itself (T38).</summary>
    [Fact]
    public async Task T38_NestedLoops_Complete()
    {
        var ledger = new Ledger(40 * 25);
        await Deadline.For(Pool.Run(() => Parallel.For(0, 40, OnPool(), i =>
            Parallel.For(0, 25, OnPool(), j =>
            {
                Trace.Note();
                ledger.Enter((i * 25) + j);
            }))));
        ledger.AssertEachOnce();
        Trace.AssertOnThePool(40 * 25);
    }

    [Fact]
    public async Task Invoke_RunsEachActionOnceOnThePool()
    {
        Action[] actions = [.. Enumerable.Range(0, Operations).Select(i => (Action)(() => Visit(i)))];
        await Deadline.For(Pool.Run(() => Parallel.Invoke(OnPool(), actions)));
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task Break_RunsEverythingBeforeIt()
    {
        ParallelLoopResult result = await Deadline.For(Pool.Run(() => Parallel.For(0, Operations, OnPool(), (i, state) =>
        {
            Visit(i);
            if (i == 100)
            {
                state.Break();
            }
        })));
        Assert.Equal((false, 100L), (result.IsCompleted, result.LowestBreakIteration));
        Assert.InRange(_ledger.CountAtMostOnce(), 101, Operations);
    }

    [Fact]
    public async Task Exceptions_ComeTogetherAndEndTheLoop()
    {
        AggregateException thrown = await Assert.ThrowsAsync<AggregateException>(() => Deadline.For(Pool.Run(() =>
            Parallel.For(0, Operations, OnPool(), i =>
            {
                Visit(i);
                throw new InvalidTimeZoneException($"{i}");
            }))));
        Assert.All(thrown.InnerExceptions, exception => Assert.IsType<InvalidTimeZoneException>(exception));
        Assert.Equal(thrown.InnerExceptions.Count, _ledger.CountAtMostOnce());
    }

    [Fact]
    public async Task Cancellation_EndsTheLoopEarly()
    {
        using var cancellation = new CancellationTokenSource();
        ParallelOptions options = OnPool();
        options.CancellationToken = cancellation.Token;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(Pool.Run(() =>
            Parallel.For(0, int.MaxValue, options, i =>
            {
                if (i % 100 == 50)
                {
                    cancellation.Cancel();
                }
            }))));
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, held => Deadline.For(Pool.Run(() =>
        Parallel.ForEach(held, OnPool(), token => GC.KeepAlive(token)))));

    private ParallelOptions OnPool() => new() { TaskScheduler = Pool.Scheduler };

    private void Visit(int i)
    {
        Trace.Note();
        _ledger.Enter(i);
    }
}
