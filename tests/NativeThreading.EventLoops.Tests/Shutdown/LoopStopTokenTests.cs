using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The token ends the wait of a shutdown: callbacks that have not started are dropped and counted (T114).</summary>
public sealed class LoopStopTokenTests
{
    [Fact]
    public async Task T114_AStuckCallback_DoesNotHoldTheShutdown_AndWhatIsDroppedIsCounted()
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "stuck" });
        using var source = new CancellationTokenSource();
        int ran = 0;
        using (new OccupiedLoop(loop))
        {
            for (int i = 0; i < 77; i++)
            {
                loop.Post(_ => ran++, null);
            }

            Task<long> stopped = loop.ShutdownAsync(source.Token);
            Assert.False(stopped.IsCompleted);
            await source.CancelAsync();
            Assert.Equal(77, await Deadline.For(stopped));
            Assert.Equal(0, loop.PendingCallbackCount);
        }

        Deadline.Until(() => !LoopThreads.Exists(loop));
        Assert.Equal(0, ran);
    }

    [Fact]
    public async Task T114_EachCallersToken_EndsTheWait()
    {
        var loop = new EventLoop();
        using var first = new CancellationTokenSource();
        using var second = new CancellationTokenSource();
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(static _ => { }, null);
            Task<long> stopped = loop.ShutdownAsync(first.Token);
            _ = loop.ShutdownAsync(second.Token);
            _ = loop.ShutdownAsync(CancellationToken.None);
            await second.CancelAsync();
            Assert.Equal(1, await Deadline.For(stopped));
            await first.CancelAsync();
        }
    }

    [Fact]
    public async Task TokenCancelledOnTheLoopItself_TheRunningCallbackEndsAndNoOtherBegins()
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "self-stopped" });
        using var source = new CancellationTokenSource();
        var ran = new List<string>();
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(
                _ =>
                {
                    _ = loop.ShutdownAsync(source.Token);
                    source.Cancel();
                    ran.Add("first, to its end");
                },
                null);
            loop.UnsafePost(_ => ran.Add("second"), null);
            loop.UnsafePost(_ => ran.Add("third"), null);
        }

        Deadline.Until(() => !LoopThreads.Exists(loop));
        Assert.Equal(2, await Deadline.For(loop.ShutdownAsync(CancellationToken.None)));
        Assert.Equal(["first, to its end"], ran);
    }

    [Fact]
    public async Task TokenCancelledAfterTheDrain_ChangesNothing()
    {
        var loop = new EventLoop();
        using var source = new CancellationTokenSource();
        await Deadline.For(loop.ShutdownAsync(source.Token));
        await source.CancelAsync();
        Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(source.Token)));
    }

    [Fact]
    public void T91_ATokenThatLivesLonger_KeepsNothingAlive()
    {
        using var source = new CancellationTokenSource();
        Retention.AssertCollected(StopWith(source.Token));

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference[] StopWith(CancellationToken token)
        {
            var loop = new EventLoop();
            object state = new();
            loop.Call(() => GC.KeepAlive(state));
            Deadline.Wait(loop.InvokeAsync(() => { }, token));
            Deadline.Wait(loop.ShutdownAsync(token));
            Deadline.Wait(loop.ShutdownAsync(token));
            return [new WeakReference(loop), new WeakReference(state)];
        }
    }
}
