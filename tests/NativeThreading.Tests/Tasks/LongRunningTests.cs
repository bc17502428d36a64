using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The thread of a LongRunning task is the pool's, though no worker: what starts there belongs to what was accepted.</summary>
public sealed class LongRunningTests
{
    [Fact]
    public async Task Thread_BelongsToThePool_BesideItsWorkers()
    {
        using NativeThreadPool pool = Pools.WithThreads(1, "own");
        using var release = new ManualResetEventSlim();
        var local = new AsyncLocal<string> { Value = "starter" };
        var seen = new TaskCompletionSource<(NativeThreadPool?, string?, TaskScheduler, SynchronizationContext?, string?)>();
        Task task = StartLong(pool, () =>
        {
            seen.SetResult((NativeThreadPool.Current, Thread.CurrentThread.Name, TaskScheduler.Current, SynchronizationContext.Current, local.Value));
            Deadline.Wait(release);
        });
        Assert.Equal((pool, "own-long-running", pool.Scheduler, null, "starter"), await Deadline.For(seen.Task));
        Assert.Equal((1, 0), (pool.LongRunningThreadCount, pool.ThreadCount));
        release.Set();
        await Deadline.For(task);
        await Task.Run(() => Deadline.Until(() => pool.LongRunningThreadCount == 0));
    }

    [Fact]
    public async Task WhatContinuesTheTaskOnItsThread_IsNotThePoolsAnyMore()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var chained = new ManualResetEventSlim();
        Task<int> task = pool.Factory.StartNew(
            () =>
            {
                Deadline.Wait(chained);
                return Environment.CurrentManagedThreadId;
            },
            TaskCreationOptions.LongRunning);
        Task<(int Thread, NativeThreadPool? Pool)> continuation = task.ContinueWith(
            _ => (Environment.CurrentManagedThreadId, NativeThreadPool.Current),
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        chained.Set();
        Assert.Equal((await Deadline.For(task), null), await Deadline.For(continuation));
    }

    [Fact]
    public async Task Awaits_ResumeOnWorkers()
    {
        using NativeThreadPool pool = Pools.WithThreads(1, "own");
        string[] names = await Deadline.For(pool.Factory.StartNew(
            async () =>
            {
                string first = Thread.CurrentThread.Name!;
                await Elsewhere.CompleteAsync();
                string second = Thread.CurrentThread.Name!;
                await Task.Yield();
                return new[] { first, second, Thread.CurrentThread.Name! };
            },
            TaskCreationOptions.LongRunning).Unwrap());
        Assert.Equal(["own-long-running", "own-worker-0", "own-worker-0"], names);
        Assert.Equal("own-worker-0", await Deadline.For(pool.Factory.StartNew(
            async () =>
            {
                await pool.SwitchTo();
                return Thread.CurrentThread.Name;
            },
            TaskCreationOptions.LongRunning).Unwrap()));
    }

    [Fact]
    public async Task CallsOfWorkers_WorkThere()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        await Deadline.For(StartLong(pool, () =>
        {
            using var ran = new CountdownEvent(3);
            using (NativeThreadPool.EnterBlockingRegion())
            {
                pool.QueueUserWorkItem(ran => ran.Signal(), ran, preferLocal: true);
                pool.UnsafeQueueUserWorkItem(ran => ran.Signal(), ran, preferLocal: false);
                pool.QueueUserWorkItem(_ => ran.Signal());
                Deadline.Wait(ran);
            }

            var group = new WorkGroup(pool);
            int count = 0;
            group.QueueRange(_ => Interlocked.Increment(ref count), new int[100]);
            Assert.True(group.Wait(Deadline.Time));
            Assert.Equal(100, count);

            // As on a worker, a task that has not started runs at once.
            using (new BlockedWorkers(pool, 2))
            {
                Assert.Equal(Environment.CurrentManagedThreadId, pool.Factory.StartNew(() => Environment.CurrentManagedThreadId).Result);
                Assert.Same(pool, pool.Run(() => NativeThreadPool.Current).Result);
            }
        }));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    public async Task Shutdown_WaitsForIt_AndForWhatItQueues(QueueFullMode? mode)
    {
        NativeThreadPool pool = mode is { } limited ? Limited.Pool(100, limited) : Pools.WithThreads(2);
        using var go = new ManualResetEventSlim();
        var later = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int ran = 0;
        void Count() => Interlocked.Increment(ref ran);
        Task task = StartLong(pool, () =>
        {
            Deadline.Wait(go);
            pool.QueueUserWorkItem(_ => Count());
            pool.QueueUserWorkItem(_ => Count(), 0, preferLocal: true);
            Assert.True(pool.TryQueueUserWorkItem(_ => Count(), null));
            pool.QueueAsync(_ => Count(), null).AsTask().GetAwaiter().GetResult();
            _ = pool.Run(Count);
            _ = pool.RunAsync(Count);
            _ = pool.Run(async () =>
            {
                await later.Task;
                Count();
            });
            new WorkGroup(pool).Queue(_ => Count(), 0);
            _ = pool.Factory.StartNew(Count);
            _ = StartLong(pool, () =>
            {
                pool.QueueUserWorkItem(_ => Count());
                Count();
            });
        });
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        Assert.Throws<ObjectDisposedException>(() => pool.QueueUserWorkItem(_ => { }));
        go.Set();
        await Deadline.For(task);
        Deadline.Until(() => Volatile.Read(ref ran) == 10, "all but the async method have run");
        Assert.False(stopped.IsCompleted);
        later.SetResult();
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((11, 0L), (ran, pool.RanElsewhereCount));
    }

    /// <summary>Many at once, so that the last of them ends in every relation to the stop.</summary>
    [Fact]
    public async Task ShutdownRacingTheEnd_LosesNothing()
    {
        foreach (int round in Soak.Repeat(300))
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            int ran = 0;
            using var started = new CountdownEvent(2);
            for (int i = 0; i < 2; i++)
            {
                _ = StartLong(pool, () =>
                {
                    started.Signal();
                    Thread.SpinWait(round * 20 % 2_000);
                    pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
                    _ = pool.Run(async () =>
                    {
                        await Task.Yield();
                        Interlocked.Increment(ref ran);
                    });
                });
            }

            Deadline.Wait(started);
            Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));
            Assert.Equal((4, 0L), (ran, pool.RanElsewhereCount));
        }
    }

    [Fact]
    public async Task Dispose_FromThere_DoesNotWaitForItself()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        await Deadline.For(StartLong(pool, pool.Dispose));
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task T114_ShutdownWithACancelledToken_AbandonsIt()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var source = new CancellationTokenSource();
        using var release = new ManualResetEventSlim();
        int ran = 0;
        Task task = StartLong(pool, () =>
        {
            Deadline.Wait(release);
            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
        });
        Task<long> stopped = pool.ShutdownAsync(source.Token);
        await source.CancelAsync();
        Assert.Equal((0, 1), (await Deadline.For(stopped), pool.AbandonedWorkItemCount));
        release.Set();
        await Deadline.For(task);
        await Task.Run(() => Deadline.Until(() => Volatile.Read(ref ran) == 1)); // by the built-in pool
    }

    [Fact]
    public async Task StartedAfterTheStop_ItRunsOnAThreadThatIsNotThePools()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        await Deadline.For(pool.ShutdownAsync(CancellationToken.None));
        Assert.Null(await Deadline.For(pool.Factory.StartNew(() => NativeThreadPool.Current, TaskCreationOptions.LongRunning)));
        Assert.Equal((1, 0), (pool.RanElsewhereCount, pool.LongRunningThreadCount));
    }

    private static Task StartLong(NativeThreadPool pool, Action action) => pool.Factory.StartNew(action, TaskCreationOptions.LongRunning);
}
