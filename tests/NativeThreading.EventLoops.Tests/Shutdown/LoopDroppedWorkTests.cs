using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Who has a task for what a stop by token drops is told (T114), and all is accounted for (T68).</summary>
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
            Assert.Equal(4, await Deadline.For(loop.ShutdownAsync(new CancellationToken(canceled: true))));
            foreach (Task operation in operations)
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(operation));
            }
        }

        await source.CancelAsync();
        Assert.Equal(0, ran);
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
        for (int round = 0; round < Soak.Rounds(200); round++)
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
