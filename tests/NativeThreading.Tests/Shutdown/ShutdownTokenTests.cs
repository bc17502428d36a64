using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>The token ends the wait of a shutdown: items that have not started are dropped and counted.</summary>
public sealed class ShutdownTokenTests
{
    [Fact]
    public async Task T114_StuckItem_DoesNotHoldTheShutdownAndDroppedItemsAreCounted()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        using var cancellation = new CancellationTokenSource();
        int ran = 0;
        using (new BlockedWorkers(pool, 2))
        {
            for (int i = 0; i < 77; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            Task<long> stopped = pool.ShutdownAsync(cancellation.Token);
            Assert.False(stopped.IsCompleted);
            cancellation.Cancel();
            Assert.Equal(77, await Deadline.For(stopped));
            Assert.Equal(0, pool.PendingWorkItemCount);
        }

        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal((0, 2L), (ran, pool.CompletedWorkItemCount));
    }

    [Fact]
    public async Task T114_ItemsInTheQueuesOfAStuckWorker_AreDroppedToo()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        using var queued = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        int ran = 0;
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                for (int i = 0; i < 10; i++)
                {
                    pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), 0, preferLocal: true);
                    pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), 0, preferLocal: false);
                }

                queued.Set();
                release.Wait(Deadline.Time);
            },
            null);
        Deadline.Wait(queued);
        Task<long> stopped = pool.ShutdownAsync(cancellation.Token);
        cancellation.Cancel();
        Assert.Equal(20, await Deadline.For(stopped));
        release.Set();
        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal(0, ran);
    }

    [Theory, CombinatorialBooleans]
    public async Task RunningItem_ThatWaitsForWhatItQueuesBehindTheStop_GetsIt(bool preferLocal)
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var entered = new ManualResetEventSlim();
        using var stopped = new ManualResetEventSlim();
        Task<bool> waits = pool.Run(() =>
        {
            entered.Set();
            Deadline.Wait(stopped);
            using var ran = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(static ran => ran.Set(), ran, preferLocal);
            return ran.Wait(Deadline.Time / 2);
        });
        Deadline.Wait(entered);
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        stopped.Set();
        Assert.True(await Deadline.For(waits), "no thread ran it while the item waited");
        Assert.Equal(1, pool.RanElsewhereCount);
    }

    [Fact]
    public async Task T114_EachCallersToken_EndsTheWait()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var first = new CancellationTokenSource();
        using var second = new CancellationTokenSource();
        using (new BlockedWorkers(pool, 1))
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Task<long> stopped = pool.ShutdownAsync(first.Token);
            _ = pool.ShutdownAsync(second.Token);
            _ = pool.ShutdownAsync(CancellationToken.None);
            first.Cancel();
            Assert.Equal(1, await Deadline.For(stopped));
        }
    }

    [Fact]
    public async Task CancelledToken_StopsAtOnce()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using (new BlockedWorkers(pool, 1))
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Assert.Equal(1, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        }
    }

    [Fact]
    public async Task TokenCancelledAfterTheDrain_ChangesNothing()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        pool.OnWorker(() => { });
        Task<long> stopped = pool.ShutdownAsync(cancellation.Token);
        await Deadline.For(stopped);
        cancellation.Cancel();
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(cancellation.Token)));
    }

    [Fact]
    public async Task GroupWithDroppedItems_TellsItsWaiter()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(static _ => { }, [1, 2, 3]);
            var token = new CancellationToken(canceled: true);
            Assert.Equal(3, await Deadline.For(pool.ShutdownAsync(token)));
            var exception = Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time));
            Assert.Equal(3, exception.InnerExceptions.Count);
            Assert.All(exception.InnerExceptions, inner => Assert.Equal(token, Assert.IsType<TaskCanceledException>(inner).CancellationToken));
        }
    }

    [Fact]
    public async Task WaiterOfAGroupWithDroppedItems_IsCancelled_WhetherItBlocksOrAwaits()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var source = new CancellationTokenSource();
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(static _ => { }, 1);
            Task waits = group.WaitAsync();
            Task<long> stopped = pool.ShutdownAsync(source.Token);
            CancellationToken token = source.Token;
            await source.CancelAsync();
            Assert.Equal(1, await Deadline.For(stopped));
            Assert.Equal(token, (await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(waits))).CancellationToken);
        }
    }

    [Fact]
    public async Task StopByToken_IsLoggedWithWhatWasDroppedAndWhatRunsElsewhere()
    {
        using var log = new EventLog();
        NativeThreadPool pool = Pools.WithThreads(1, "logged-stop");
        using (new BlockedWorkers(pool, 1))
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Task run = pool.Run(static () => { });
            Task task = pool.Factory.StartNew(static () => { });
            Assert.Equal(2, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.Equal(new object?[] { "logged-stop", 2L, 1L }, log.WaitFor("StoppedByToken", pool.Name).Payload!);
            Assert.Empty(log.Of("RanElsewhere", pool.Name));
            await Deadline.For(task);
            await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(run));
        }

        // After the stop: at the second, the fourth, the eighth and so on.
        for (int i = 0; i < 3; i++)
        {
            await Deadline.For(pool.Factory.StartNew(static () => { }));
        }

        Assert.Equal(new object?[] { 2L, 4L }, log.Of("RanElsewhere", pool.Name).Select(told => told.Payload![1]));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public async Task RunOfAnItemThatOutlivesTheStop_IsCancelled(int? limit)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0, QueueLimit = limit });
        using var entered = new ManualResetEventSlim();
        using var stopped = new ManualResetEventSlim();
        var calls = new List<Task>();
        using var ran = new CountdownEvent(1);
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Set();
                Deadline.Wait(stopped);
                calls.Add(pool.Run(() => { ran.Signal(); }));
                calls.Add(pool.Run(() => Task.FromResult(ran.Signal())));
            },
            null);
        Deadline.Wait(entered);
        var token = new CancellationToken(canceled: true);
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(token)));
        stopped.Set();
        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal(2, calls.Count);
        foreach (Task call in calls)
        {
            Assert.Equal(token, (await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(call))).CancellationToken);
        }

        Assert.Equal((1, 0L), (ran.CurrentCount, pool.RanElsewhereCount));
    }

    [Fact]
    public async Task T68_TokenRacingWaitersThatRunTheTaskInPlace_EachCallEndsOnce()
    {
        foreach (int round in Soak.Repeat(100))
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            int ran = 0;
            Task[] calls = [];
            using var queued = new ManualResetEventSlim();
            Task waiter = pool.Factory.StartNew(() =>
            {
                calls = [.. Enumerable.Range(0, 20).Select(_ => pool.Run(() => { Interlocked.Increment(ref ran); }))];
                queued.Set();
                Array.ForEach(calls, static call => Record.Exception(() => Deadline.Wait(call)));
            });
            Deadline.Wait(queued);
            await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true)));
            await Deadline.For(waiter);
            Assert.Equal(20, Volatile.Read(ref ran) + calls.Count(static call => call.IsFaulted));
            Assert.Equal(0, pool.RanElsewhereCount);
        }
    }

    [Fact]
    public async Task T68_TokenRacingTheWorkers_AccountsForEachItem()
    {
        foreach (int round in Soak.Repeat(200))
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            using var cancellation = new CancellationTokenSource();
            int ran = 0;
            for (int i = 0; i < 100; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            Task<long> stopped = pool.ShutdownAsync(cancellation.Token);
            cancellation.Cancel();
            long dropped = await Deadline.For(stopped);

            // What a worker was moving at that moment is not dropped: it runs elsewhere.
            Deadline.Until(() => pool.ThreadCount == 0 && Volatile.Read(ref ran) + dropped >= 100, $"{ran} ran, {dropped} dropped");
            Assert.Equal(100, ran + dropped);
        }
    }
}
