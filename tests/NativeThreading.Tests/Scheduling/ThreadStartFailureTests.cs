using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>The system gives no thread (T36, T44).</summary>
public sealed class ThreadStartFailureTests
{
    private const string Name = "starved";

    [Fact]
    public void T36_WithoutAnyWorker_QueueingThrowsBeforePublishing()
    {
        using NativeThreadPool pool = Pools.WithThreads(2, Name);
        int ran = 0;
        void Item() => ran++;
        var group = new WorkGroup(pool);
        using (new FailingThreadStarts(Name))
        {
            Action[] entries =
            [
                () => pool.QueueUserWorkItem(_ => Item()),
                () => pool.QueueUserWorkItem(_ => Item(), 0, preferLocal: false),
                () => pool.UnsafeQueueUserWorkItem(_ => Item(), null),
                () => group.QueueRange(_ => Item(), [1, 2]),
            ];
            foreach (Action entry in entries)
            {
                Assert.ThrowsAny<OutOfMemoryException>(entry);
                Assert.Equal((0L, 0, 0L), (pool.PendingWorkItemCount, pool.ThreadCount, group.PendingCount));
            }
        }

        // As if nothing had happened: one item, one run.
        pool.OnWorker(Item);
        pool.WaitUntilQuiet();
        Assert.Equal((1, 1L), (ran, pool.CompletedWorkItemCount));
    }

    [Fact]
    public async Task T36_TaskThatFindsNoThread_RunsElsewhereOnce()
    {
        using NativeThreadPool pool = Pools.WithThreads(2, Name);
        int ran = 0;
        using (new FailingThreadStarts(Name))
        {
            await Deadline.For(pool.Factory.StartNew(() => Interlocked.Increment(ref ran)));
        }

        pool.OnWorker(() => { });
        pool.WaitUntilQuiet();
        Assert.Equal((1, 1L, 1L), (ran, pool.RanElsewhereCount, pool.CompletedWorkItemCount));
    }

    [Fact]
    public void T36_LongRunningTaskWithoutAThread_FaultsAndNeverRuns()
    {
        using NativeThreadPool pool = Pools.WithThreads(2, Name);
        int ran = 0;
        Task task = new(() => ran++, TaskCreationOptions.LongRunning);
        using (new FailingThreadStarts(Name))
        {
            Assert.Throws<TaskSchedulerException>(() => task.Start(pool.Scheduler));
            Assert.Equal(TaskStatus.Faulted, task.Status);
        }

        Assert.NotNull(task.Exception); // and observed
        Assert.Equal((0, 0), (ran, pool.LongRunningThreadCount));
    }

    [Fact]
    public async Task T36_ContinuationThatFindsNoThread_StillRuns()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = Name,
            MaxThreads = 1,
            IdleTimeout = TimeSpan.FromMilliseconds(1),
        });
        var gate = new TaskCompletionSource();
        Task<int> method = pool.Run(async () =>
        {
            await gate.Task;
            return 5;
        });
        Deadline.Until(() => pool.ThreadCount == 0);
        using (new FailingThreadStarts(Name))
        {
            gate.SetResult();
            Assert.Equal(5, await Deadline.For(method));
        }
    }

    [Fact]
    public void T44_WithAWorker_AcceptedWorkRunsAndTheFailureIsReportedOnce()
    {
        using var log = new EventLog();
        using NativeThreadPool pool = WithOneWorkerThatStays();
        using var starts = new FailingThreadStarts(Name);
        using var ran = new CountdownEvent(1_000);
        for (int round = 0; round < 10; round++)
        {
            // Behind a blocked worker, so that the items ask for another thread.
            using var blocked = new BlockedWorkers(pool, 1);
            for (int i = 0; i < 100; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            }

            Deadline.Until(() => starts.Attempts > round);
        }

        Deadline.Wait(ran);
        Deadline.Until(() => pool.ThreadCount == 1); // a start that is about to fail counts for a moment
        Assert.Equal([Name, "no thread for the test", 1], log.WaitFor("ThreadStartFailed", Name).Payload!);
        Assert.Single(log.Of("ThreadStartFailed", Name));
    }

    [Fact]
    public void T44_StartIsRetriedUntilItSucceeds()
    {
        using var log = new EventLog();
        using NativeThreadPool pool = WithOneWorkerThatStays();
        using var blocked = new BlockedWorkers(pool, 1);
        using var ran = new ManualResetEventSlim();
        using (var starts = new FailingThreadStarts(Name))
        {
            Deadline.Until(() => pool.ThreadCount == 1);
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            Deadline.Until(() => starts.Attempts >= 3); // nothing more is queued: the pool tries by itself
            Assert.False(ran.IsSet);
        }

        Deadline.Wait(ran);
        Assert.Single(log.Of("ThreadStartFailed", Name));
    }

    [Theory]
    [InlineData(nameof(DrainingWithoutAThread))]
    [InlineData(nameof(DrainingBehindABlockedWorker))]
    public async Task T44_DrainingPool_GoesOnWhenThreadsCanBeHad_WithoutTheRuntimesPool(string child)
    {
        ChildProcess.Result result = await ChildProcess.RunAsync(
            child == nameof(DrainingWithoutAThread) ? DrainingWithoutAThread : DrainingBehindABlockedWorker);
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    /// <summary>In a child, because it occupies the built-in pool.</summary>
    internal static int DrainingWithoutAThread()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = Name, MaxThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        pool.OnWorker(static () => { });
        Deadline.Until(() => pool.ThreadCount == 0);
        OccupyTheRuntimesPool();
        int ran = 0;
        Task<long> stopped;
        using (var starts = new FailingThreadStarts(Name))
        {
            // A producer that saw a thread, which has gone before the item was published.
            pool.Probe.PublishLate(() => Interlocked.Increment(ref ran));
            stopped = pool.ShutdownAsync(CancellationToken.None);
            Deadline.Until(() => starts.Attempts >= 3, "nothing more is queued: the pool tries by itself");
            Deadline.Until(() => pool.ThreadCount == 0, "a thread that is being started counts");
            Assert.Equal((0, 1L), (ran, pool.PendingWorkItemCount));
        }

        Deadline.Until(() => stopped.IsCompleted, $"the pool stops; it has {pool.ThreadCount} threads, {pool.PendingWorkItemCount} pending");
        return ran == 1 ? 0 : 1;
    }

    internal static int DrainingBehindABlockedWorker()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = Name, MaxThreads = 1, IdleTimeout = Timeout.InfiniteTimeSpan });
        using var release = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Set();
                release.Wait(Deadline.Time);
            },
            null);
        Deadline.Wait(entered);
        OccupyTheRuntimesPool();
        Task<long> stopped;
        using (var starts = new FailingThreadStarts(Name))
        {
            pool.UnsafeQueueUserWorkItem(_ => release.Set(), null);
            stopped = pool.ShutdownAsync(CancellationToken.None);
            Deadline.Until(() => starts.Attempts >= 3, "nothing more is queued: the pool tries by itself");
            Assert.False(release.IsSet);
        }

        Deadline.Until(() => stopped.IsCompleted, $"the pool stops; it has {pool.ThreadCount} threads, {pool.PendingWorkItemCount} pending");
        return 0;
    }

    /// <summary>For good: whatever needs it from now on never comes.</summary>
    private static void OccupyTheRuntimesPool()
    {
        int threads = Environment.ProcessorCount;
        Assert.True(ThreadPool.SetMinThreads(threads, threads) && ThreadPool.SetMaxThreads(threads, threads));
        using var entered = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    entered.Signal();
                    Thread.Sleep(Timeout.Infinite);
                },
                null);
        }

        Deadline.Wait(entered);
    }

    /// <summary>A pool that could have four threads, but has shrunk to one.</summary>
    private static NativeThreadPool WithOneWorkerThatStays()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = Name,
            MinThreads = 1,
            MaxThreads = 4,
            IdleTimeout = TimeSpan.FromMilliseconds(1),
        });
        pool.OnWorker(() => { });
        Deadline.Until(() => pool.ThreadCount == 1 && pool.Probe.IsQuiet);
        return pool;
    }
}
