using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>An async method never hangs because its pool has gone (T36).</summary>
public sealed class ContinuationTests
{
    [Fact]
    public async Task T36_ContinuationsWhileDraining_StayOnThePool()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var gate = new TaskCompletionSource();

        // Started through the factory: not an operation of Run, so nothing waits for it but the blocked worker.
        Task<NativeThreadPool?> method = pool.Factory.StartNew(async () =>
        {
            await gate.Task;
            return NativeThreadPool.Current;
        }).Unwrap();
        Task<long> stopped;
        using (new BlockedWorkers(pool, 1))
        {
            stopped = pool.ShutdownAsync(CancellationToken.None);
            gate.SetResult();
        }

        Assert.Same(pool, await Deadline.For(method));
        await Deadline.For(stopped);
        Assert.Equal(0, pool.RanElsewhereCount);
    }

    [Fact]
    public async Task T36_ContinuationsAfterTheStop_RunOnTheRuntimesPoolAndAreCounted()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        var gates = Enumerable.Range(0, 10).Select(_ => new TaskCompletionSource()).ToArray();
        Task<(NativeThreadPool?, bool)>[] methods = [.. gates.Select(gate => pool.Factory.StartNew(async () =>
        {
            await gate.Task;
            return (NativeThreadPool.Current, Thread.CurrentThread.IsThreadPoolThread);
        }).Unwrap())];
        Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));

        foreach (TaskCompletionSource gate in gates)
        {
            gate.SetResult();
        }

        Assert.All(await Deadline.For(Task.WhenAll(methods)), seen => Assert.Equal((null, true), seen));
        Assert.Equal(10, pool.RanElsewhereCount);
    }

    [Fact]
    public async Task T36_TasksAndSwitchesAfterTheStop_StillComplete()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        await Deadline.For(pool.ShutdownAsync(CancellationToken.None));
        Assert.Equal(5, await Deadline.For(pool.Factory.StartNew(() => 5)));
        Assert.Equal(6, await Deadline.For(Switch()));
        Assert.Equal(7, await Deadline.For(Task.CompletedTask.ContinueWith(_ => 7, pool.Scheduler)));
        Assert.True(pool.RanElsewhereCount >= 3, $"{pool.RanElsewhereCount}");

        async Task<int> Switch()
        {
            await pool.SwitchTo();
            return 6;
        }
    }

    [Fact]
    public async Task T36_UnsafeQueueContinuation_RunsOnThePoolWhileItDrains_AndOnTheRuntimesPoolAfterTheStop()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var whileDraining = new TaskCompletionSource<(NativeThreadPool?, TaskScheduler)>(TaskCreationOptions.RunContinuationsAsynchronously);
        var afterTheStop = new TaskCompletionSource<(NativeThreadPool?, TaskScheduler)>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<long> stopped;
        using (new BlockedWorkers(pool, 1))
        {
            stopped = pool.ShutdownAsync(CancellationToken.None);
            pool.UnsafeQueueContinuation(Look, whileDraining, preferLocal: false);
        }

        Assert.Equal((pool, TaskScheduler.Default), await Deadline.For(whileDraining.Task));
        await Deadline.For(stopped);
        Assert.Equal(0, pool.RanElsewhereCount);
        pool.UnsafeQueueContinuation(Look, afterTheStop, preferLocal: false);
        Assert.Equal((null, TaskScheduler.Default), await Deadline.For(afterTheStop.Task));
        Assert.Equal(1, pool.RanElsewhereCount);

        static void Look(TaskCompletionSource<(NativeThreadPool?, TaskScheduler)> seen) => seen.SetResult((NativeThreadPool.Current, TaskScheduler.Current));
    }

    [Fact]
    public async Task T36_QueuedTasks_RunElsewhereWhenTheTokenStopsThePool()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        using (new BlockedWorkers(pool, 1))
        {
            Task<bool>[] tasks = [.. Enumerable.Range(0, 100).Select(_ => pool.Factory.StartNew(() => Thread.CurrentThread.IsThreadPoolThread))];
            Task<long> stopped = pool.ShutdownAsync(cancellation.Token);
            cancellation.Cancel();
            Assert.Equal(0, await Deadline.For(stopped));
            Assert.All(await Deadline.For(Task.WhenAll(tasks)), Assert.True);
            Assert.Equal(100, pool.RanElsewhereCount);
        }
    }
}
