using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Where a connection's reads complete.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class NextRequestTests
{
    [Theory]
    [InlineData(true, Places.Runtime)]
    [InlineData(false, Places.Loop)] // bytes of TLS
    public async Task ReadsComplete_WhereTheLastRequestsHaveEnded_ButNotThoseOfTls(bool isKestrels, string place)
    {
        await using var loop = new EventLoop();
        NextRequest next = Of(loop, out _);

        Assert.Equal(Places.Loop, await WhereAsync(next));
        await EndAsync(loop, next, isKestrels);
        Assert.Equal(place, await WhereAsync(next));
    }

    [Fact]
    public async Task ReadBehindARequestThatHasEndedElsewhere_CompletesOnTheLoop()
    {
        await using var loop = new EventLoop();
        NextRequest next = Of(loop, out _);
        await EndAsync(loop, next, isKestrels: true);

        await Deadline.For(Task.Run(() => next.Expect(new Connection(isKestrels: true)))); // a body, or behind a request that completed at once
        Assert.Equal(Places.Loop, await WhereAsync(next));
    }

    [Fact]
    public async Task ConnectionThatSpeaksHttp2_HasLeftItsLoop_WithoutANameOfIt()
    {
        await using var loop = new EventLoop();
        NextRequest next = Of(loop, out ConnectionScheduler application);
        await EndAsync(loop, next, isKestrels: true);
        application.MoveToRuntimePool();

        var context = new TaskCompletionSource<SynchronizationContext?>(TaskCreationOptions.RunContinuationsAsynchronously);
        next.Schedule(_ => context.SetResult(SynchronizationContext.Current), null);
        Assert.Null(await Deadline.For(context.Task));
    }

    private static NextRequest Of(EventLoop loop, out ConnectionScheduler application)
    {
        application = new ConnectionScheduler(new LoopScheduler(loop, handsOver: false));
        return new NextRequest(application, loop.SynchronizationContext);
    }

    /// <summary>Enough requests end on the built-in pool to prove that the next ones should start there; and some more, if other code uses that pool.</summary>
    private static Task EndAsync(EventLoop loop, NextRequest next, bool isKestrels) => Deadline.For(Task.Run(() =>
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        EndOfRequest.Await(loop.SynchronizationContext);
        SynchronizationContext end = SynchronizationContext.Current!;
        SynchronizationContext.SetSynchronizationContext(before);
        Deadline.Until(() => ThreadPool.PendingWorkItemCount == 0);
        for (int i = 0; i < 4 * Learning.ProofOfEnds; i++)
        {
            end.Post(_ => next.Expect(new Connection(isKestrels)), null);
        }
    }));

    private static async Task<string> WhereAsync(PipeScheduler scheduler)
    {
        var place = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        scheduler.Schedule(_ => place.SetResult(Places.Mine), null);
        return await Deadline.For(place.Task);
    }

    private sealed class Connection : DefaultConnectionContext, IDuplexPipe
    {
        public Connection(bool isKestrels) => Transport = isKestrels ? this : null!;

        PipeReader IDuplexPipe.Input => null!;

        PipeWriter IDuplexPipe.Output => null!;
    }
}
