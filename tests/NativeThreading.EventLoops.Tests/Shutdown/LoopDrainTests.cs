using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>A shutdown refuses other threads and finishes what was accepted (T57).</summary>
public sealed class LoopDrainTests
{
    [Theory, CombinatorialBooleans]
    public async Task EntryCalls_AreRefusedWhileDrainingAndAfterwards(bool drained)
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "leaving" });
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var timer = new EventLoopTimer(loop, static _ => { }, null);
        using var file = new Microsoft.Win32.SafeHandles.SafeFileHandle();
        Action[] entries =
        [
            () => loop.Post(static _ => { }, null),
            () => loop.UnsafePost(static _ => { }, null),
            () => loop.InvokeAsync(() => { }),
            () => loop.InvokeAsync(() => 1),
            () => loop.InvokeAsync(() => Task.CompletedTask),
            () => loop.InvokeAsync(() => Task.FromResult(1)),
            () => loop.Offload(pool, static _ => { }, static _ => { }, null),
            () => loop.OffloadAsync(pool, () => { }),
            () => loop.OffloadAsync(pool, () => 1),
            () => loop.OffloadAsync(pool, () => Task.CompletedTask),
            () => loop.OffloadAsync(pool, () => Task.FromResult(1)),
            () => loop.Register(file, EventLoopInterest.Read, static (_, _) => { }, null),
            () => timer.Arm(TimeSpan.Zero),
            () => timer.Arm(TimeSpan.Zero, TimeSpan.FromSeconds(1)),
        ];
        void AssertRefused() => Assert.All(entries, entry => Assert.Throws<ObjectDisposedException>(entry));

        Task<long> stopped;
        using (new OccupiedLoop(loop))
        {
            stopped = loop.ShutdownAsync(CancellationToken.None);
            if (!drained)
            {
                AssertRefused();
                Assert.Equal(1, loop.PendingCallbackCount); // the shutdown's own
            }
        }

        Assert.Equal(0, await Deadline.For(stopped));
        if (drained)
        {
            AssertRefused();
        }

        Assert.Equal((0L, 0L), (loop.PendingCallbackCount, loop.RanElsewhereCount));
    }

    [Fact]
    public async Task WhatWasAccepted_RunsAndWhatItPostsDoesToo()
    {
        var loop = new EventLoop();
        int ran = 0;
        void Again(object? depth)
        {
            ran++;
            if ((int)depth! > 0)
            {
                loop.Post(Again, (int)depth - 1);
                loop.UnsafePost(Again, (int)depth - 1);
            }
        }

        Task<long> stopped;
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(Again, 12);
            stopped = loop.ShutdownAsync(CancellationToken.None);
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((1 << 13) - 1, ran);
    }

    [Fact]
    public async Task EntryCallsOnTheLoop_AreAcceptedWhileDraining()
    {
        var loop = new EventLoop();
        using NativeThreadPool pool = Pools.WithThreads(1);
        int ran = 0;
        Task<long> stopped;
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(
                _ =>
                {
                    loop.Post(_ => ran++, null);
                    loop.InvokeAsync(() => ran++);
                    loop.InvokeAsync(async () =>
                    {
                        await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
                        ran++;
                    });
                    loop.Offload(pool, static _ => { }, _ => ran++, null);
                    loop.OffloadAsync(pool, () => { }).ContinueWith(_ => ran++, loop.Scheduler);
                    Task.Factory.StartNew(() => ran++, CancellationToken.None, TaskCreationOptions.None, loop.Scheduler);
                },
                null);
            stopped = loop.ShutdownAsync(CancellationToken.None);
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((6, 0L), (ran, loop.RanElsewhereCount));
    }

    [Fact]
    public async Task OpenOperations_AreFinishedOnTheLoop()
    {
        var loop = new EventLoop();
        var gate = new TaskCompletionSource();
        Task<bool>[] operations = [.. Enumerable.Range(0, 100).Select(i => loop.InvokeAsync(async () =>
        {
            await gate.Task;
            await Task.Delay(TimeSpan.FromMilliseconds(i % 5), loop.TimeProvider);
            await Task.Yield();
            return loop.IsInLoop;
        }))];
        Task<long> stopped = loop.ShutdownAsync(CancellationToken.None);
        loop.SynchronizationContext.Send(_ => { }, null);
        Assert.False(stopped.IsCompleted);
        gate.SetResult();
        Assert.All(await Deadline.For(Task.WhenAll(operations)), Assert.True);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal(0, loop.RanElsewhereCount);
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task TheStop_CancelsTimersAndRegistrations()
    {
        var loop = new EventLoop();
        using var reader = new System.IO.Pipes.AnonymousPipeServerStream(System.IO.Pipes.PipeDirection.In);
        var timer = new EventLoopTimer(loop, static _ => { }, null);
        timer.Arm(TimeSpan.FromHours(1));
        EventLoopRegistration registration = loop.Register(reader.SafePipeHandle, EventLoopInterest.Read, static (_, _) => { }, null);
        loop.Call(() => { });
        Assert.True(timer.IsArmed);
        Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(CancellationToken.None)));
        Assert.False(timer.IsArmed);
        await Deadline.For(registration.DisposeAsync().AsTask());
        timer.Cancel();
        timer.Dispose();
    }
}
