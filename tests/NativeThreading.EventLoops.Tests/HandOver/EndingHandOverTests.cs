using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A shutdown waits for callbacks on former drivers; a stop by token does not, and leaves no caller waiting.</summary>
public sealed class EndingHandOverTests : HandOverTest
{
    [Fact]
    public async Task Shutdown_WaitsForTheBlockedCallback_WhichIsStillAdmitted()
    {
        bool posted = false;
        Task ended = BlockTheLoop(last: () => Loop.Post(_ => posted = true, null));
        Task<long> stopped = Loop.ShutdownAsync(CancellationToken.None);
        Deadline.Until(() => Loop.IsDraining);
        Assert.Throws<ObjectDisposedException>(() => Loop.Post(static _ => { }, null));
        Assert.False(stopped.IsCompleted);

        LetGo();
        await Deadline.For(ended);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.True(posted);
    }

    [Fact]
    public async Task Dispose_OnAFormerDriver_OnlyBegins()
    {
        Task ended = BlockTheLoop(last: Loop.Dispose);
        LetGo();
        await Deadline.For(ended);
        Assert.Equal(0, await Deadline.For(Loop.ShutdownAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task StopByToken_DoesNotWaitForFormerDrivers()
    {
        Task ended = BlockTheLoop();
        await Deadline.For(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        Assert.False(ended.IsCompleted);
        LetGo();
        await Deadline.For(ended);
    }

    [Fact]
    public async Task StopByToken_CallbackThatWaitsForItsOwnContinuation_Ends()
    {
        var waits = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        async Task Continue()
        {
            await go.Task;
        }

        Loop.Post(
            _ =>
            {
                Task continued = Continue();
                waits.SetResult();
                Deadline.Wait(continued);
                ended.SetResult();
            },
            null);
        await Deadline.For(waits.Task);
        await Deadline.For(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        go.SetResult();
        await Deadline.For(ended.Task);
        Assert.NotEqual(0, Loop.RanElsewhereCount);
    }

    [Fact]
    public async Task StopByToken_DelayOfABlockedTimerCallback_FollowsIt()
    {
        int inside = 0;
        int overlaps = 0;
        using var calls = new SemaphoreSlim(0);
        using ITimer timer = Loop.TimeProvider.CreateTimer(
            _ =>
            {
                overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                calls.Release();
                Block();
                Interlocked.Decrement(ref inside);
            },
            null,
            TimeSpan.Zero,
            TimeSpan.FromMilliseconds(1));
        Deadline.Wait(calls);
        OnLoop(static () => { });
        await Deadline.For(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        LetGo();
        Deadline.Wait(calls);
        Assert.Equal(0, overlaps);
    }

    [Fact]
    public void Threads_GoWithTheirCallbacks()
    {
        Task[] ended = [.. Enumerable.Range(0, 5).Select(_ => BlockTheLoop())];
        Assert.Equal(5, Loop.HandOver!.FormerCount);
        LetGo();
        Deadline.Wait(Task.WhenAll(ended));
        Deadline.Until(() => Loop.HandOver!.FormerCount == 0);
    }
}
