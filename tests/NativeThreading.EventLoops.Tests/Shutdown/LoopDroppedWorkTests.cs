using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The task of an item that a stop by token drops says so (T114), and all items are accounted for (T68).</summary>
public sealed class LoopDroppedWorkTests
{
    [Fact]
    public async Task T114_DroppedOperations_AreCancelled()
    {
        var loop = new EventLoop();
        using var source = new CancellationTokenSource();
        int ran = 0;
        Task[] operations;
        using (new OccupiedLoop(loop))
        {
            operations =
            [
                loop.InvokeAsync(() => { ran++; }),
                loop.InvokeAsync(() => ran++),
                loop.InvokeAsync(() => Task.FromResult(ran++)),
                loop.InvokeAsync(() => ran++, source.Token),
            ];
            var stopToken = new CancellationToken(canceled: true);
            Assert.Equal(4, await Deadline.For(loop.ShutdownAsync(stopToken)));
            foreach (Task operation in operations)
            {
                var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(operation));
                Assert.Equal((true, stopToken), (operation.IsCanceled, exception.CancellationToken));
            }
        }

        await source.CancelAsync();
        Assert.Equal(0, ran);
    }

    /// <summary>Whatever was posted before it: the task ends at once, and its slot counts no more.</summary>
    [Fact]
    public async Task CancelledCall_EndsAtOnce_AndIsNeitherPendingNorDropped()
    {
        var loop = new EventLoop();
        int ran = 0;
        using (new OccupiedLoop(loop))
        {
            foreach (Func<CancellationToken, Task> call in new Func<CancellationToken, Task>[]
            {
                token => loop.InvokeAsync(() => { ran++; }, token),
                token => loop.InvokeAsync(() => ran++, token),
                token => loop.InvokeAsync(() => Task.FromResult(ran++), token),
                token =>
                {
                    var task = new Task(() => ran++, token); // the framework watches no token of StartNew
                    task.Start(loop.Scheduler);
                    return task;
                },
            })
            {
                using var source = new CancellationTokenSource();
                Task cancelled = call(source.Token);
                Assert.Equal(1, loop.PendingCallbackCount);
                await source.CancelAsync();
                Assert.Equal((true, 0L), (cancelled.IsCanceled, loop.PendingCallbackCount));
            }

            loop.Post(_ => ran += 100, null);
            Assert.Equal(1, loop.PendingCallbackCount);
            Assert.Equal(1, await Deadline.For(loop.ShutdownAsync(new CancellationToken(canceled: true))));
        }

        Deadline.Until(() => loop.CancelledCallbacks.Count == 0);
        Assert.Equal(0, ran);
    }

    [Fact]
    public void T68_CancelRacingTheLoop_CountsComeOutEven()
    {
        using var loop = new EventLoop();
        foreach (int round in Soak.Repeat(200))
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            Task[] calls =
            [
                .. Enumerable.Range(0, 10).SelectMany(_ => new Task[]
                {
                    loop.InvokeAsync(() => { ran++; }, source.Token),
                    Task.Factory.StartNew(() => ran++, source.Token, TaskCreationOptions.None, loop.Scheduler),
                }),
            ];
            Thread.SpinWait(round % 50 * 20);
            source.Cancel();
            Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(Task.WhenAll([.. calls, Task.FromCanceled(source.Token)])));
            Deadline.Wait(loop.InvokeAsync(static () => { }));
            Assert.Equal((calls.Count(static call => call.IsCompletedSuccessfully), 0L), (ran, loop.CancelledCallbacks.Count));
        }
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task T114_RegisterThatIsDropped_SaysThatTheLoopIsGone()
    {
        var loop = new EventLoop();
        using var reader = new System.IO.Pipes.AnonymousPipeServerStream(System.IO.Pipes.PipeDirection.In);
        using (new OccupiedLoop(loop))
        {
            Task registering = Task.Factory.StartNew(
                () => loop.Register(reader.SafePipeHandle, EventLoopInterest.Read, static (_, _) => { }, null),
                TaskCreationOptions.LongRunning);
            Deadline.Until(() => loop.PendingCallbackCount == 1);
            Assert.Equal(1, await Deadline.For(loop.ShutdownAsync(new CancellationToken(canceled: true))));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(registering));
        }
    }

    [Fact]
    public async Task T68_TokenRacingTheLoop_AccountsForEachCallback()
    {
        foreach (int round in Soak.Repeat(200))
        {
            var loop = new EventLoop();
            using var source = new CancellationTokenSource();
            int ran = 0;
            for (int i = 0; i < 100; i++)
            {
                loop.UnsafePost(_ => Interlocked.Increment(ref ran), null);
            }

            Task<long> stopped = loop.ShutdownAsync(source.Token);
            Thread.SpinWait(round * 10);
            await source.CancelAsync();
            long dropped = await Deadline.For(stopped);
            Deadline.Until(() => Volatile.Read(ref ran) + dropped >= 100, $"{ran} ran, {dropped} dropped"); // one may be running
            Assert.Equal(100, ran + dropped);
        }
    }
}
