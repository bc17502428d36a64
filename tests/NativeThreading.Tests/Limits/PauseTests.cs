using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>Pause, resume, resize, and the wait until a pool is idle; PauseContract has what holds for each IWorkScheduler.</summary>
public sealed class PauseTests
{
    [Theory]
    [InlineData(null)]
    [InlineData(1_000)]
    public async Task Paused_HoldsWhatBegins_AndLetsTheRestGoOn(int? limit)
    {
        await using NativeThreadPool pool = Create(limit);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<bool> open = pool.Run(async () =>
        {
            await gate.Task;
            var inner = new TaskCompletionSource();
            pool.UnsafeQueueUserWorkItem(static inner => inner.SetResult(), inner, preferLocal: true); // an item that a running item queues starts
            await inner.Task;
            return pool.IsPaused;
        });
        pool.WaitUntilQuiet();
        pool.Pause();
        pool.Pause();
        Assert.True(pool.IsPaused);
        var ran = new List<int>();
        for (int i = 0; i < 100; i++)
        {
            int number = i;
            pool.QueueUserWorkItem(_ => ran.Add(number));
        }

        Task task = pool.Run(() => ran.Count), operation = pool.Run(() => Task.FromResult(ran.Count));
        Task high = pool.Run(static () => { }, new WorkOptions { Priority = WorkPriority.High });
        gate.SetResult();
        Assert.True(await Deadline.For(open));
        Assert.False(task.IsCompleted || operation.IsCompleted || high.IsCompleted);
        Assert.Empty(ran);
        Assert.Equal(103, pool.PendingWorkItemCount);
        Assert.Equal(0, pool.Probe.Repairs);

        pool.Resume();
        await Deadline.For(Task.WhenAll(task, operation, high));
        pool.WaitUntilQuiet();
        Assert.Equal(Enumerable.Range(0, 100), ran);
        Assert.False(pool.IsPaused);
        Assert.Equal(0, pool.Probe.Repairs); // the end of the pause has requested workers; the monitor had to find nothing
    }

    /// <summary>What was queued before the pause lies among items that begin; the monitor finds it.</summary>
    [Fact]
    public void ContinuationThatWaitedBeforeThePause_GoesOn()
    {
        using var goesOn = new ManualResetEventSlim();
        using NativeThreadPool pool = Create(null);
        var blocked = new BlockedWorkers(pool, 1);
        bool began = false;
        for (int i = 0; i < 10; i++)
        {
            pool.QueueUserWorkItem(_ => began = true);
        }

        pool.UnsafeQueueContinuation(static goesOn => goesOn.Set(), goesOn, preferLocal: false);
        pool.Pause();
        blocked.Dispose();
        Deadline.Wait(goesOn);
        Assert.False(began);
        pool.Resume();
        pool.WaitUntilQuiet();
        Assert.True(began);
    }

    /// <summary>The producer has looked before the pause, and publishes when the monitor has left the pool: its item lies among held ones.</summary>
    [Fact]
    public void ContinuationWhoseProducerIsLate_GoesOn()
    {
        const string name = "pause-late";
        using var goesOn = new ManualResetEventSlim();
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { Name = name, MaxThreads = 1 });
        using (new FailingThreadStarts(thread =>
        {
            if (thread.StartsWith(name, StringComparison.Ordinal)) // the first worker, which the producer starts before it publishes
            {
                pool.Probe.EndRequest(); // else the monitor would stay until the thread has come
                pool.Pause();
                Deadline.Until(() => !pool.Probe.IsMonitored);
            }

            return false;
        }))
        {
            pool.UnsafeQueueContinuation(static goesOn => goesOn.Set(), goesOn, preferLocal: false);
        }

        Deadline.Wait(goesOn);
        Assert.True(pool.IsPaused);
    }

    [Fact]
    public void PausedPool_StartsNoThread_AndResumeStartsThem()
    {
        using var all = new CountdownEvent(4);
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 4 });
        pool.Pause();
        for (int i = 0; i < 4; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                all.Signal();
                Deadline.Wait(all);
            });
        }

        Assert.InRange(pool.ThreadCount, 0, 1);
        pool.Resume();
        Deadline.Wait(all);
        Assert.Equal(0, pool.Probe.Repairs);
    }

    [Fact]
    public void PauseThatMeetsAShutdown_HoldsNothing()
    {
        for (int round = 0; round < 100; round++)
        {
            NativeThreadPool pool = Create(null);
            Task<long> stopped = null!;
            Task held = pool.Run(static () => { });
            Parallel.Invoke(pool.Pause, () => stopped = pool.ShutdownAsync(CancellationToken.None));
            Assert.Equal(0, Deadline.Result(stopped));
            Assert.True(held.IsCompletedSuccessfully);
        }
    }

    [Fact]
    public void WaitForAGroupOfAPausedPool_LastsUntilItGoesOn()
    {
        using NativeThreadPool pool = Create(2);
        pool.Pause();
        var group = new WorkGroup(pool);
        group.Queue(static _ => { }, 0);
        group.Queue(static _ => { }, 0);
        Assert.False(group.Wait(TimeSpan.Zero));
        pool.Resume();
        Assert.True(group.Wait(Deadline.Time));
    }

    [Fact]
    public void PauseAndResumeBesideProducers_LoseNothing()
    {
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 2, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        const int items = 20_000;
        int ran = 0;
        var producer = new Thread(() =>
        {
            for (int i = 0; i < items; i++)
            {
                pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
                pool.Run(async () =>
                {
                    await Task.Yield();
                    Interlocked.Increment(ref ran);
                });
            }
        });
        producer.Start();
        while (producer.IsAlive)
        {
            pool.Pause();
            Thread.Yield();
            pool.Resume();
        }

        Deadline.Join(producer);
        Deadline.Until(() => ran == 2 * items, () => $"{ran} of {2 * items}, {pool.PendingWorkItemCount} wait");
        Assert.Equal(0, pool.Probe.Repairs);
    }

    [Fact]
    public void WorkerThatWaitsForAGroup_RunsItsItems_AlsoWhileThePoolIsPaused()
    {
        using var entered = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        using NativeThreadPool pool = Create(null);
        var group = new WorkGroup(pool);
        Task waits = pool.Run(() =>
        {
            entered.Set();
            Deadline.Wait(queued);
            group.Wait();
        });
        Deadline.Wait(entered);
        pool.Pause();
        group.Queue(static _ => { }, 0);
        queued.Set();
        Deadline.Wait(waits);
        Assert.True(pool.IsPaused);
    }

    [Fact]
    public async Task WaitForIdle_CompletesWhenTheLastItemHasCompleted()
    {
        await using NativeThreadPool pool = Create(null);
        for (int round = 0; round < 200; round++)
        {
            int ran = 0;
            for (int i = 0; i < 10; i++)
            {
                pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
            }

            await Deadline.For(pool.WaitForIdleAsync());
            Assert.Equal(10, ran);
        }
    }

    [Fact]
    public async Task WaitForIdle_EndsWithThePool()
    {
        NativeThreadPool pool = Create(null);
        var blocked = new BlockedWorkers(pool, 1);
        Task idle = pool.WaitForIdleAsync();
        await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true)));
        await Deadline.For(idle);
        blocked.Dispose();
        await Deadline.For(pool.WaitForIdleAsync());
    }

    [Fact]
    public void Resize_ChangesHowManyRun()
    {
        using var all = new CountdownEvent(50); // outlives the pool
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        for (int threads = 1; threads <= 4; threads++)
        {
            pool.Resize(threads, 0);
            Assert.Equal((threads, 0), (pool.MaxThreads, pool.MaxBlockedThreads));
            new BlockedWorkers(pool, threads).Dispose(); // all run at once
        }

        pool.Resize(1, 0);
        int running = 0, most = 0;
        pool.WaitUntilQuiet();
        for (int i = 0; i < 50; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                most = Math.Max(most, Interlocked.Increment(ref running));
                Thread.Yield();
                Interlocked.Decrement(ref running);
                all.Signal();
            });
        }

        Deadline.Wait(all);
        Assert.Equal(1, most);
    }

    [Fact]
    public void Resize_GivesBlockedThreadsReplacements_AndRefusesWhatIsOutOfRange()
    {
        using var release = new ManualResetEventSlim();
        using var ran = new ManualResetEventSlim();
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 1, MinThreads = 1, MaxBlockedThreads = 0 });
        pool.QueueUserWorkItem(_ => Deadline.Wait(release));
        pool.QueueUserWorkItem(_ => ran.Set());
        pool.Resize(1, 1);
        Deadline.Wait(ran);
        release.Set();
        Assert.Equal("maxThreads", Assert.Throws<ArgumentOutOfRangeException>(() => pool.Resize(0, 0)).ParamName);
        Assert.Equal("maxBlockedThreads", Assert.Throws<ArgumentOutOfRangeException>(() => pool.Resize(1, -1)).ParamName);
    }

    private static NativeThreadPool Create(int? limit) => new(new NativeThreadPoolOptions { MaxThreads = 1, QueueLimit = limit });
}
