using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What an item may carry: a priority, a name, a time limit and a token, in pools with and without a limited queue.</summary>
public sealed class WorkOptionsTests
{
    private static readonly WorkOptions s_high = new() { Priority = WorkPriority.High };
    private static readonly WorkOptions s_low = new() { Priority = WorkPriority.Low };
    private static readonly WorkOptions s_expires = new() { StartWithin = TimeSpan.FromMilliseconds(1) };

    [Theory, CombinatorialBooleans]
    public void HighBeforeNormalBeforeLow_WhateverTheCall(bool isLimited)
    {
        using NativeThreadPool pool = Create(isLimited);
        var ran = new List<string>();
        using (new BlockedWorkers(pool, 1))
        {
            foreach (WorkOptions options in new[] { s_low, default, s_high })
            {
                string name = options.Priority.ToString();
                pool.QueueUserWorkItem(_ => ran.Add($"{name} item"), null, options);
                pool.Run(() => ran.Add($"{name} task"), options);
                pool.Run(
                    async () =>
                    {
                        await Task.Yield();
                        ran.Add($"{name} operation");
                    },
                    options);
            }
        }

        Deadline.Until(() => ran.Count == 9, () => string.Join(", ", ran));
        Assert.Equal(["High", "Normal", "Low"], ran.Select(static name => name.Split(' ')[0]).Distinct());
    }

    /// <summary>A worker that queues to itself without end never looks elsewhere by itself.</summary>
    [Theory]
    [InlineData(WorkPriority.High)]
    [InlineData(WorkPriority.Low)]
    public void WorkerWithEndlessLocalItems_StillRunsOthers(WorkPriority priority)
    {
        using NativeThreadPool pool = Create(isLimited: false);
        bool isOver = false;
        int picks = 0;
        void Again(object? self)
        {
            picks++;
            if (!Volatile.Read(ref isOver))
            {
                pool.UnsafeQueueUserWorkItem(Again, self, preferLocal: true);
            }
        }

        pool.UnsafeQueueUserWorkItem(Again, (object?)null, preferLocal: true);
        Deadline.Until(() => Volatile.Read(ref picks) > 100);
        for (int i = 0; i < 10; i++)
        {
            bool done = false;
            pool.QueueUserWorkItem(_ => Volatile.Write(ref done, true), null, new WorkOptions { Priority = priority });
            Deadline.Until(() => Volatile.Read(ref done));
        }

        Volatile.Write(ref isOver, true);
    }

    [Fact]
    public void OfSixtyFourItems_OneIsOfALowerPriority()
    {
        using NativeThreadPool pool = Create(isLimited: false);
        var ran = new List<WorkPriority>();
        using (new BlockedWorkers(pool, 1))
        {
            foreach (WorkPriority priority in Enum.GetValues<WorkPriority>())
            {
                for (int i = 0; i < 1_000; i++)
                {
                    pool.QueueUserWorkItem(_ => ran.Add(priority), null, new WorkOptions { Priority = priority });
                }
            }
        }

        Deadline.Until(() => pool.CompletedWorkItemCount >= 3_001);
        foreach (WorkPriority neglected in new[] { WorkPriority.Normal, WorkPriority.Low })
        {
            int last = ran.FindLastIndex(priority => priority > neglected);
            int[] positions = [-1, .. Enumerable.Range(0, last).Where(i => ran[i] == neglected), last];
            Assert.InRange(positions.Zip(positions.Skip(1), static (one, next) => next - one).Max(), 1, 66);
        }
    }

    [Fact]
    public async Task Continuations_KeepThePriorityAndTheName()
    {
        await using NativeThreadPool pool = Create(isLimited: false);
        IWorkScheduler view = pool.WithOptions(s_high with { Name = "important" });
        var order = new List<string>();
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task operation = view.Run(async () =>
        {
            await go.Task;
            Assert.Equal(pool, NativeThreadPool.Current);
            order.Add("high");
        });
        Task? child = null;
        Task task = view.Run(() =>
        {
            Assert.Equal(view.Scheduler, TaskScheduler.Current);
            child = go.Task.ContinueWith(_ => order.Add("high"), TaskScheduler.Current);
        });
        pool.Run(static () => { }).Wait(Deadline.Time);
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(_ => order.Add("normal"));
            go.SetResult();
            Deadline.Until(() => pool.PendingWorkItemCount == 3);
        }

        await Deadline.For(Task.WhenAll(operation, task, child!));
        Deadline.Until(() => order.Count == 3);
        Assert.Equal(["high", "high", "normal"], order);
    }

    [Theory, CombinatorialBooleans]
    public async Task Expired_IsCancelledAtOnce_Counts_AndNeverRuns(bool isLimited, bool isAsync)
    {
        await using NativeThreadPool pool = Create(isLimited);
        bool ran = false;
        using (new BlockedWorkers(pool, 1))
        {
            Task expired = isAsync
                ? pool.Run(() => Task.FromResult(ran = true), s_expires)
                : pool.Run(() => { ran = true; }, s_expires);
            pool.QueueUserWorkItem(_ => ran = true, null, s_expires);
            Deadline.Until(() => expired.IsCanceled); // a continuation may run inside the cancellation, before the permit is free
            Deadline.Until(() => pool is { ExpiredWorkItemCount: 2, PendingWorkItemCount: 0 }, () => $"{pool.ExpiredWorkItemCount} expired, {pool.PendingWorkItemCount} wait");
            Deadline.Until(() => !isLimited || pool.Probe.HeldPermits == 0);
        }

        pool.WaitUntilQuiet();
        Assert.False(ran);
        await pool.Run(() => { ran = true; }, new WorkOptions { StartWithin = Deadline.Time });
        Assert.True(ran);
        Assert.Equal(2, pool.ExpiredWorkItemCount);
    }

    [Theory, CombinatorialBooleans]
    public async Task EitherToken_CancelsWhatWaits(bool byCall, bool isAsync)
    {
        await using NativeThreadPool pool = Create(isLimited: true);
        using CancellationTokenSource ofView = new(), ofCall = new();
        IWorkScheduler view = pool.WithOptions(new WorkOptions { CancellationToken = ofView.Token, Priority = WorkPriority.Low });
        using (new BlockedWorkers(pool, 1))
        {
            Task task = isAsync ? view.Run(static () => Task.CompletedTask, ofCall.Token) : view.Run(static () => { }, ofCall.Token);
            await (byCall ? ofCall : ofView).CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.WaitAsync(Deadline.Time));
            Assert.True(task.IsCanceled);
            Assert.Equal(0, pool.PendingWorkItemCount);
            Assert.Equal(0, pool.Probe.HeldPermits);
        }

        Assert.Equal(0, pool.ExpiredWorkItemCount);
    }

    /// <summary>Its timer may fire while the rejected call lets go of it. What it threw there ended the process.</summary>
    [Fact]
    public void RejectedCallWhoseTimeIsUp_EndsNothing()
    {
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0, QueueLimit = 1 });
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(static _ => { });
            for (int i = 0; i < 3_000; i++)
            {
                Task? task = null;
                Exception? exception = Record.Exception(() => { task = pool.Run(static () => { }, new WorkOptions { StartWithin = TimeSpan.Zero }); });
                if (task is null)
                {
                    Assert.IsType<QueueFullException>(exception);
                }
                else
                {
                    Assert.True(task.IsCanceled); // its time was up before the call came to the queue
                }
            }
        }

        Deadline.Until(() => pool.PendingWorkItemCount == 0);
        Assert.Equal(1, Deadline.Result(pool.Run(static () => 1)));
    }

    [Fact]
    public void RawItemThatThrows_GetsTheHandler_AlsoWithATimeLimit()
    {
        var handled = new List<Exception>();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            UnhandledException = exception =>
            {
                handled.Add(exception);
                return true;
            },
        });
        pool.QueueUserWorkItem(static _ => throw new FormatException(), null, s_high);
        pool.QueueUserWorkItem(static _ => throw new FormatException(), null, new WorkOptions { StartWithin = Deadline.Time });
        Deadline.Until(() => pool.CompletedWorkItemCount == 2);
        Assert.All(handled, static exception => Assert.IsType<FormatException>(exception));
        Assert.Equal(2, handled.Count);
    }

    [Fact]
    public void DefaultOptions_AreThePoolItself_AndBadOnesAreRefused()
    {
        using NativeThreadPool pool = Create(isLimited: false);
        Assert.Same(pool, pool.WithOptions(default));
        Assert.Same(pool, pool.WithOptions(s_low).WithOptions(default));
        Assert.Equal(
            "Priority", Assert.Throws<ArgumentOutOfRangeException>(() => pool.WithOptions(new WorkOptions { Priority = (WorkPriority)7 })).ParamName);
        Assert.Equal(
            "StartWithin",
            Assert.Throws<ArgumentOutOfRangeException>(() => pool.WithOptions(new WorkOptions { StartWithin = TimeSpan.FromSeconds(-2) })).ParamName);
        Assert.True(pool.Run(static () => 1, default).Result == 1); // still a token
    }

    [Theory, CombinatorialBooleans]
    public async Task StopByToken_CancelsPrioritizedCalls_AndRunsContinuationsElsewhere(bool isLimited)
    {
        NativeThreadPool pool = Create(isLimited);
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task open = pool.Run(() => go.Task, s_high);
        Task later = pool.WithOptions(s_high).Run(async () => await go.Task);
        pool.Run(static () => { }).Wait(Deadline.Time);
        var blocked = new BlockedWorkers(pool, 1);
        Task high = pool.Run(static () => { }, s_high), low = pool.Run(static () => Task.CompletedTask, s_low);
        Task<long> stopped = pool.ShutdownAsync(new CancellationToken(canceled: true));
        Assert.Equal(2, await Deadline.For(stopped));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(high));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(low));
        go.SetResult();
        await Deadline.For(Task.WhenAll(open, later));
        blocked.Dispose();
    }

    /// <summary>A worker that waits for a task with a priority takes it out of its queue, and runs it.</summary>
    [Fact]
    public void OnlyWorkerThatWaitsForALowTask_RunsItItself()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        Assert.Equal(1, Deadline.Result(pool.Run(() => pool.Run(static () => 1, s_low).Result)));
    }

    private static NativeThreadPool Create(bool isLimited) => isLimited
        ? Limited.Pool(100, QueueFullMode.Reject)
        : new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
}
