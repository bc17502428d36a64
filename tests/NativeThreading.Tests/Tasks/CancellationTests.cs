using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Cancelling tasks: only those that have not started (T68).</summary>
public sealed class CancellationTests
{
    [Fact]
    public void CancelledTokenBeforeTheStart_NothingRuns()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var cancelled = new CancellationToken(canceled: true);
        bool ran = false;
        Task[] tasks =
        [
            pool.Run(() => { ran = true; }, cancelled),
            pool.Run(() => ran = true, cancelled),
            pool.Run(() => Task.FromResult(ran = true), cancelled),
            pool.Run((Func<Task>)(() => Task.FromResult(ran = true)), cancelled),
            Task.Run(pool, () => { ran = true; }, cancelled),
        ];
        foreach (Task task in tasks)
        {
            Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(task));
            Assert.Equal(TaskStatus.Canceled, task.Status);
        }

        // Operations that never began do not keep the pool from draining.
        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));
        Assert.False(ran);
    }

    [Fact]
    public void TaskCancelledInTheQueue_DoesNotRun()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        bool ran = false;
        Task task;
        using (new BlockedWorkers(pool, 1))
        {
            task = pool.Run(() => ran = true, cancellation.Token);
            cancellation.Cancel();
        }

        Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(task));
        Assert.Equal((TaskStatus.Canceled, false), (task.Status, ran));
    }

    [Fact]
    public void TaskCancelledInTheQueue_EndsTheWaitOfAWorkerAtOnce()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Assert.Equal((TaskStatus.Canceled, 0L), pool.OnWorker(() =>
        {
            using var cancellation = new CancellationTokenSource();
            Task task = pool.Run(() => { }, cancellation.Token);
            cancellation.Cancel();
            Assert.ThrowsAny<AggregateException>(() => Endless.Wait(task));
            return (task.Status, pool.PendingWorkItemCount);
        }));
        pool.Dispose();
    }

    [Fact]
    public void RunningTask_IsNotCancelled()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        Task<int> task = pool.Run(
            () =>
            {
                entered.Set();
                release.Wait(Deadline.Time);
                return 5;
            },
            cancellation.Token);
        Deadline.Wait(entered);
        cancellation.Cancel();
        Assert.False(task.IsCompleted);
        release.Set();
        Assert.Equal(5, Deadline.Result(task));
    }

    [Fact]
    public async Task FunctionThatObservesItsToken_IsCancelled()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        CancellationToken token = cancellation.Token;
        Task sync = pool.Run(
            () =>
            {
                cancellation.Cancel();
                token.ThrowIfCancellationRequested();
            },
            token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(sync));
        Task async = pool.Run(() => Task.Delay(Timeout.Infinite, token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(async));
        Assert.Equal((TaskStatus.Canceled, TaskStatus.Canceled), (sync.Status, async.Status));
    }

    [Fact]
    public void T68_CancelRacingTheStart_ExactlyOneHappens()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        int cancelled = 0;
        foreach (int round in Soak.Repeat(5_000))
        {
            using var cancellation = new CancellationTokenSource();
            int ran = 0;
            Task task = pool.Run(() => Interlocked.Increment(ref ran), cancellation.Token);
            Thread.SpinWait(round % 200);
            cancellation.Cancel();
            Deadline.Wait(Task.WhenAny(task));
            Assert.Equal(task.Status == TaskStatus.Canceled ? 0 : 1, Volatile.Read(ref ran));
            cancelled += task.Status == TaskStatus.Canceled ? 1 : 0;
        }

        Assert.True(cancelled > 0, "no round was cancelled: the race was not tried");
    }
}
