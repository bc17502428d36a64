using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Items whose calls were cancelled: they keep their slots, and nothing else.</summary>
public sealed class CancelledItemsTests
{
    /// <summary>In whatever queue the task lies, and whichever thread cancels it.</summary>
    [Theory, CombinatorialBooleans]
    public void TaskInTheQueuesOfAWorker_IsCancelledFromAnyThread(bool preferFairness)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var source = new CancellationTokenSource();
        Task task = pool.OnWorker(() =>
        {
            var queued = new Task(static () => { }, source.Token, preferFairness ? TaskCreationOptions.PreferFairness : TaskCreationOptions.None);
            queued.Start(pool.Scheduler);
            Assert.Equal(1, pool.PendingWorkItemCount);
            Deadline.Wait(Task.Run(source.Cancel)); // by a thread that cannot see into the worker's queues
            Assert.Equal((true, 0L, 1L), (queued.IsCanceled, pool.PendingWorkItemCount, pool.Probe.OccupiedSlots));
            return queued;
        });
        Assert.True(task.IsCanceled);
        pool.WaitUntilQuiet();
        Assert.Equal((0L, 0L), (pool.Probe.OccupiedSlots, pool.Probe.CancelledSlots));
    }

    [Fact]
    public void CancelledLongRunningTask_HasNoSlot()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        foreach (int round in Soak.Repeat(200))
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            var task = new Task(() => ran++, source.Token, TaskCreationOptions.LongRunning);
            task.Start(pool.Scheduler);
            source.Cancel();
            Deadline.Wait(Task.WhenAny(task));
            Assert.Equal(task.IsCanceled ? 0 : 1, ran);
            Assert.Equal(0, pool.Probe.CancelledSlots);
        }
    }

    /// <summary>Workers, waiters that run a task in place, and cancellers reach for the same tasks: the counts must come out even.</summary>
    [Theory]
    [InlineData(null, QueueFullMode.Reject)]
    [InlineData(20, QueueFullMode.Wait)]
    [InlineData(20, QueueFullMode.RunOnCaller)]
    public void T68_CancelRacingBegin_OneOfThemHappensAndIsCounted(int? limit, QueueFullMode mode)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2, QueueLimit = limit, QueueFullMode = mode });
        foreach (int round in Soak.Repeat(200))
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            var calls = new List<Task>();
            for (int i = 0; i < 8; i++)
            {
                calls.Add(pool.RunAsync(() => { Interlocked.Increment(ref ran); }, source.Token));
                calls.Add(pool.RunAsync(() => Interlocked.Increment(ref ran), source.Token));
                calls.Add(pool.RunAsync(() => Task.FromResult(Interlocked.Increment(ref ran)), source.Token));
                calls.Add(pool.Factory.StartNew(() => { Interlocked.Increment(ref ran); }, source.Token));
            }

            Task waits = pool.Factory.StartNew(() => Record.Exception(() => Deadline.Wait(Task.WhenAll(calls))));
            Thread.SpinWait(round % 50 * 20);
            source.Cancel();
            Assert.ThrowsAny<Exception>(() => Deadline.Wait(Task.WhenAll([.. calls, Task.FromCanceled(source.Token)])));
            Deadline.Wait(waits);
            Assert.Equal(calls.Count(static call => call.IsCompletedSuccessfully), ran);
            pool.WaitUntilQuiet();
            Assert.Equal((0L, 0L, 0), (pool.Probe.CancelledSlots, pool.Probe.OccupiedSlots, limit is null ? 0 : pool.Probe.HeldPermits));
        }
    }

    /// <summary>What docs/reference/shutdown.md states of a million, checked with fewer.</summary>
    [Fact]
    public void CancelledTasks_KeepTheirTasksAndSlots()
    {
        int many = Soak.Rounds(50_000);
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var source = new CancellationTokenSource();
        long bytes;
        using (new BlockedWorkers(pool, 1))
        {
            long before = GC.GetTotalMemory(forceFullCollection: true);
            Action action = static () => { };
            for (int i = 0; i < many; i++)
            {
                pool.Run(action, source.Token);
            }

            source.Cancel();
            Assert.Equal(0, pool.PendingWorkItemCount);
            bytes = (GC.GetTotalMemory(forceFullCollection: true) - before) / many;
        }

        pool.WaitUntilQuiet();
        Assert.Equal((0L, 0L), (pool.Probe.OccupiedSlots, pool.Probe.CancelledSlots));
        Assert.InRange(bytes, 50, 450);
        Console.WriteLine($"{bytes} bytes for each cancelled task");
    }

    [Fact]
    public void CallWithoutAToken_AllocatesItsTaskAlone()
    {
        Action action = static () => { };
        Func<int> function = static () => 1;
        using NativeThreadPool pool = Pools.WithThreads(1);
        pool.OnWorker(() => (Bytes(() => pool.Run(action)), Bytes(() => pool.Run(function))));
        pool.WaitUntilQuiet();
        (long task, long run, long taskOfInt, long runOfInt) = pool.OnWorker(() =>
            (Bytes(() => _ = new Task(action)), Bytes(() => pool.Run(action)), Bytes(() => _ = new Task<int>(function)), Bytes(() => pool.Run(function))));
        Assert.Equal((task, taskOfInt), (run, runOfInt));
    }

    private static long Bytes(Action action)
    {
        const int Few = 50; // fewer than a new queue holds
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Few; i++)
        {
            action();
        }

        return (GC.GetAllocatedBytesForCurrentThread() - before) / Few;
    }
}
