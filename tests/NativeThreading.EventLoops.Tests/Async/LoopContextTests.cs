using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The loop's SynchronizationContext, called by hand.</summary>
public sealed class LoopContextTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly AsyncLocal<string?> _local = new();

    private SynchronizationContext Context => _loop.SynchronizationContext;

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void Post_RunsOnTheLoopWithItsState()
    {
        using var seen = new Observation<EventLoop?>(() => EventLoop.Current);
        object state = new();
        object? given = null;
        Context.Post(
            posted =>
            {
                given = posted;
                seen.Observe(null);
            },
            state);
        Assert.Equal((_loop, state), (seen.Result, given));
    }

    [Fact]
    public void T34_Post_FlowsNoExecutionContext()
    {
        using var seen = new Observation<string?>(() => _local.Value);
        StartGate.Run(1, _ =>
        {
            _local.Value = "caller";
            Context.Post(seen.Observe, null);
        });
        Assert.Null(seen.Result);
    }

    [Fact]
    public void Send_FromElsewhere_WaitsUntilTheCallbackHasRunOnTheLoop()
    {
        EventLoop? ranOn = null;
        object? given = null;
        using var occupied = new OccupiedLoop(_loop);
        var sender = new Thread(() => Context.Send(
            state =>
            {
                given = state;
                ranOn = EventLoop.Current;
            },
            "state"));
        sender.Start();
        Deadline.Until(() => _loop.PendingCallbackCount == 1);
        Assert.True(sender.IsAlive);
        occupied.Release();
        Deadline.Join(sender);
        Assert.Equal((_loop, "state"), (ranOn, given));
    }

    [Fact]
    public void Send_OnTheLoop_RunsAtOnce()
    {
        var ran = new List<string>();
        _loop.Call(() =>
        {
            _loop.UnsafePost(_ => ran.Add("posted before"), null);
            Context.Send(_ => ran.Add("sent"), null);
            ran.Add("after the send");
        });
        _loop.Call(() => { });
        Assert.Equal(["sent", "after the send", "posted before"], ran);
    }

    [Theory, CombinatorialBooleans]
    public void Send_ThrowsWhatTheCallbackThrows_AndTheLoopGoesOn(bool fromLoop)
    {
        void Send() => Context.Send(_ => throw new InvalidTimeZoneException("sent"), null);
        var exception = Assert.Throws<InvalidTimeZoneException>(fromLoop ? () => _loop.Call(Send) : Send);
        Assert.Equal("sent", exception.Message);
        Assert.True(_loop.Call(() => _loop.IsInLoop));
    }

    [Fact]
    public void CreateCopy_IsTheSameContext_SoThatAwaitsRecogniseIt()
    {
        Assert.Same(Context, Context.CreateCopy());
        using var other = new EventLoop();
        Assert.NotSame(Context, other.SynchronizationContext);
    }

    [Fact]
    public async Task AsyncVoidMethods_AreWaitedForByTheShutdown()
    {
        var loop = new EventLoop();
        var gate = new TaskCompletionSource();
        bool ended = false;
        async void Method()
        {
            await gate.Task;
            await Task.Delay(TimeSpan.FromMilliseconds(5), loop.TimeProvider);
            ended = loop.IsInLoop;
        }

        loop.Call(Method);
        Task<long> stopped = loop.ShutdownAsync(CancellationToken.None);
        AssertStillDraining(loop, stopped);
        gate.SetResult();
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.True(ended);
    }

    [Fact]
    public async Task OperationStarted_HoldsTheShutdownUntilCompleted()
    {
        var loop = new EventLoop();
        loop.SynchronizationContext.OperationStarted();
        loop.SynchronizationContext.OperationStarted();
        Task<long> stopped = loop.ShutdownAsync(CancellationToken.None);
        loop.SynchronizationContext.OperationCompleted();
        AssertStillDraining(loop, stopped);
        loop.SynchronizationContext.OperationCompleted(); // from elsewhere: the loop sleeps
        Assert.Equal(0, await Deadline.For(stopped));
    }

    // Two turns have passed and the loop is there.
    private static void AssertStillDraining(EventLoop loop, Task stopped)
    {
        for (int turn = 0; turn < 2; turn++)
        {
            bool onLoop = false;
            loop.SynchronizationContext.Send(_ => onLoop = loop.IsInLoop, null);
            Assert.True(onLoop);
        }

        Assert.False(stopped.IsCompleted);
    }
}
