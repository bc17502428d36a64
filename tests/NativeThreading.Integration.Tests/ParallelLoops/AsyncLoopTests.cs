using System.Collections.Concurrent;
using NativeThreading.Tests.Support;

namespace NativeThreading.Integration.ParallelLoops;

/// <summary>Parallel.ForEachAsync and ForAsync on the pool's scheduler.</summary>
public sealed class AsyncLoopTests : PoolTest
{
    private readonly Ledger _ledger = new(Operations);

    [Fact]
    public async Task T109_ThousandItemsInFlight_EachOnceAndEveryAwaitResumesOnThePool()
    {
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int inside = 0;
        ParallelOptions options = OnPool(Operations);
        await Deadline.For(Parallel.ForEachAsync(Enumerable.Range(0, Operations), options, async (i, _) =>
        {
            Trace.Note();
            _ledger.Enter(i);
            if (Interlocked.Increment(ref inside) == Operations)
            {
                all.SetResult();
            }

            await all.Task; // all are in flight at once
            Trace.Note();
            await Task.Yield();
            Trace.Note();
        }));
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(3 * Operations);
    }

    [Fact]
    public async Task AsyncSource_IsReadOnThePoolAndNotAhead()
    {
        int read = 0;
        int done = 0;
        int ahead = 0;
        await Deadline.For(Parallel.ForEachAsync(Source(), OnPool(8), async (i, _) =>
        {
            await Task.Yield();
            Trace.Note();
            _ledger.Enter(i);
            Interlocked.Increment(ref done);
        }));
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(2 * Operations);
        Assert.Equal(0, ahead);

        async IAsyncEnumerable<int> Source()
        {
            for (int i = 0; i < Operations; i++)
            {
                // One per worker of the loop may be read and not started.
                ahead += ++read - Volatile.Read(ref done) > 16 ? 1 : 0;
                await Task.Yield();
                Trace.Note();
                yield return i;
            }
        }
    }

    [Fact]
    public async Task ForAsync_RunsEachIndexOnceOnThePool()
    {
        await Deadline.For(Parallel.ForAsync(0, Operations, OnPool(32), async (i, _) =>
        {
            await Elsewhere.CompleteAsync();
            Trace.Note();
            _ledger.Enter(i);
        }));
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task Exception_CancelsTheOthersAndComesOut()
    {
        int cancelled = 0;
        var seven = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int waiting = 0;
        var thrown = await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(Parallel.ForEachAsync(
            Enumerable.Range(0, Operations), OnPool(8), async (i, token) =>
            {
                if (i == 3)
                {
                    await seven.Task;
                    throw new InvalidTimeZoneException("three");
                }

                if (Interlocked.Increment(ref waiting) == 7)
                {
                    seven.SetResult();
                }

                try
                {
                    await Task.Delay(Timeout.Infinite, token);
                }
                catch (OperationCanceledException)
                {
                    Trace.Note();
                    Interlocked.Increment(ref cancelled);
                    throw;
                }
            })));
        Assert.Equal(("three", 7), (thrown.Message, cancelled));
        Trace.AssertOnThePool(7);
    }

    [Fact]
    public async Task Cancellation_ReachesEveryItemInFlight()
    {
        using var cancellation = new CancellationTokenSource();
        ParallelOptions options = OnPool(100);
        options.CancellationToken = cancellation.Token;
        int inside = 0;
        ConcurrentBag<int> cancelled = [];
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(Parallel.ForEachAsync(
            Enumerable.Range(0, Operations), options, async (i, token) =>
            {
                if (Interlocked.Increment(ref inside) == 100)
                {
                    await cancellation.CancelAsync();
                }

                try
                {
                    await Task.Delay(Timeout.Infinite, token);
                }
                finally
                {
                    Trace.Note();
                    cancelled.Add(i);
                }
            })));
        Assert.Equal(Enumerable.Range(0, 100), cancelled.Order());
        Trace.AssertOnThePool(100);
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, held =>
        Deadline.For(Parallel.ForEachAsync(held, OnPool(50), async (token, _) =>
        {
            await Task.Yield();
            GC.KeepAlive(token);
        })));

    private ParallelOptions OnPool(int degree) => new() { TaskScheduler = Pool.Scheduler, MaxDegreeOfParallelism = degree };
}
