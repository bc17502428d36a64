using NativeThreading.Tasks;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>Shutting down a pool whose queue is full, with callers that wait for a permit.</summary>
public sealed class LimitShutdownTests
{
    public static TheoryData<string> Synchronous => EntryCall.Synchronous;

    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory, MemberData(nameof(Synchronous))]
    public async Task BlockedCaller_IsRefused(string call)
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        bool ran = false;
        Exception? thrown = null;
        Task<long> stopped;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            var caller = new Thread(() => thrown = Record.Exception(() => pool.Queue(call, () => ran = true))) { IsBackground = true };
            caller.Start();
            pool.WaitForWaiters(1);
            stopped = pool.ShutdownAsync(CancellationToken.None);
            Deadline.Join(caller);
        }

        Assert.IsType<ObjectDisposedException>(thrown);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Throws<ObjectDisposedException>(() => pool.Queue(call, () => ran = true));
        Assert.False(ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task WaitingCaller_IsRefused(string call)
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        bool ran = false;
        Task waiting;
        Task<long> stopped;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            waiting = pool.QueueAsync(call, () => ran = true, source.Token);
            stopped = pool.ShutdownAsync(CancellationToken.None);
            await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(waiting));
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Task later = pool.QueueAsync(call, () => ran = true, source.Token);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(later));
        Assert.False(ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task WhatThePoolsOwnWorkWaitsFor_IsStillAccepted(string call)
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        int ran = 0;
        using var draining = new ManualResetEventSlim();
        Task operation = pool.Run(async () =>
        {
            Deadline.Wait(draining);
            await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => pool.QueueAsync(call, () => ran++)));
        });
        pool.AssertBegun();
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        draining.Set();
        await Deadline.For(operation);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((10, 0L), (ran, pool.RanElsewhereCount));
    }

    [Fact]
    public async Task DroppedItems_LeaveTheirPlaces_AndAreCounted()
    {
        NativeThreadPool pool = Limited.Pool(10, QueueFullMode.Wait);
        using var stop = new CancellationTokenSource();
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        int ran = 0;
        Task<int> task;
        Task waiting;
        using (new BlockedWorkers(pool, 1))
        {
            task = pool.RunAsync(() => Interlocked.Increment(ref ran), CancellationToken.None);
            group.QueueRange(_ => ran += 100, [1, 2]);
            pool.Fill(() => ran += 100);
            waiting = pool.QueueAsync(_ => ran += 100, null, CancellationToken.None).AsTask();
            Task<long> stopped = pool.ShutdownAsync(stop.Token);
            await stop.CancelAsync();
            Assert.Equal(10, await Deadline.For(stopped)); // the call, two of the group and seven
            await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(task));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(waiting));
        }

        Deadline.Until(() => pool.Probe.HeldPermits == 0);
        Assert.Equal(2, Assert.Throws<AggregateException>(group.Wait).InnerExceptions.Count);
        Assert.Equal(0, ran);
    }

    [Fact]
    public async Task CallThatWaitedInLine_IsCancelledByAStop()
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var stop = new CancellationTokenSource();
        using var cancel = new CancellationTokenSource();
        using (new BlockedWorkers(pool, 1))
        {
            Task first = pool.RunAsync(() => { }, cancel.Token);
            Task<int> second = pool.RunAsync(() => 42, CancellationToken.None);
            await cancel.CancelAsync(); // the second has its permit, and lies in the queue as a raw item
            Assert.Equal((1, 0), (pool.Probe.HeldPermits, pool.Probe.WaitingCallers));
            Task<long> stopped = pool.ShutdownAsync(stop.Token);
            await stop.CancelAsync();
            Assert.Equal(1, await Deadline.For(stopped));
            await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(second));
            Assert.True(first.IsCanceled);
        }

        Deadline.Until(() => pool.Probe.HeldPermits == 0);
    }

    /// <summary>The token that stops the pool is that of the calls as well. Either ends a call, and the shutdown counts those that it has ended.</summary>
    [Fact]
    public async Task CallThatWaitsForAPermit_IsCountedIfTheStopHasCancelledIt()
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var stop = new CancellationTokenSource();
        Task[] waiting = [];
        Task<long>? stopped = null;
        await Deadline.For(pool.RunAsync((Action)(() =>
        {
            pool.Fill();
            waiting = [pool.RunAsync(() => Assert.Fail("It ran."), stop.Token), pool.RunAsync(() => Task.FromException(new FormatException()), stop.Token)];
            Assert.Equal(2, pool.Probe.WaitingCallers);
            stopped = pool.ShutdownAsync(stop.Token);
            stop.Cancel(); // calls back the shutdown first, which registered last
        })));
        int endedByStop = 0;
        foreach (Task call in waiting)
        {
            endedByStop += (await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(call))).Message == CancelledTask.StopMessage ? 1 : 0;
        }

        Assert.Equal(1 + endedByStop, await Deadline.For(stopped!)); // one fills the queue

        Assert.Equal(0, pool.Probe.CancelledSlots);
    }
}
