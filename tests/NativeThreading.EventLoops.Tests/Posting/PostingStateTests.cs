using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>What a loop says about itself, and calls that are mistakes.</summary>
public sealed class PostingStateTests : IDisposable
{
    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "named" });

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void OnlyItsThread_IsInTheLoop()
    {
        using var other = new EventLoop();
        Assert.Equal((false, false, null), (_loop.IsInLoop, other.IsInLoop, EventLoop.Current));
        (bool, bool, EventLoop?) here = _loop.Call(() => (_loop.IsInLoop, other.IsInLoop, EventLoop.Current));
        Assert.Equal((true, false, _loop), here);
        Assert.Equal((false, true, other), other.Call(() => (_loop.IsInLoop, other.IsInLoop, EventLoop.Current)));
    }

    [Fact]
    public void TheThread_CarriesTheNameAndTheContextOfItsLoop()
    {
        Assert.Equal(("named", "EventLoop named"), (_loop.Name, _loop.ToString()));
        Assert.Equal(
            ("named", true, false),
            _loop.Call(() => (Thread.CurrentThread.Name, Thread.CurrentThread.IsBackground, Thread.CurrentThread.IsThreadPoolThread)));
        Assert.Same(_loop.SynchronizationContext, _loop.Call(() => SynchronizationContext.Current));
        Assert.Null(_loop.Call(() => NativeThreadPool.Current));
    }

    [Fact]
    public void PendingCallbackCount_CountsWhatHasNotBegun()
    {
        using (new OccupiedLoop(_loop))
        {
            Assert.Equal(0, _loop.PendingCallbackCount);
            for (int i = 1; i <= 1_000; i++)
            {
                _loop.UnsafePost(static _ => { }, null);
                Assert.Equal(i, _loop.PendingCallbackCount);
            }
        }

        Assert.Equal(0, _loop.Call(() => _loop.PendingCallbackCount));
    }

    [Fact]
    public void State_IsPassedToTheCallback()
    {
        object state = new();
        object? seen = null;
        _loop.Post(given => seen = given, state);
        _loop.Call(() => { });
        Assert.Same(state, seen);
        _loop.UnsafePost(given => seen = given, null);
        _loop.Call(() => { });
        Assert.Null(seen);
    }

    [Fact]
    public void ANullCallback_IsRefusedAndTheLoopGoesOn()
    {
        Assert.Throws<ArgumentNullException>("callback", () => _loop.Post(null!, null));
        Assert.Throws<ArgumentNullException>("callback", () => _loop.UnsafePost(null!, null));
        Assert.Throws<ArgumentNullException>("d", () => _loop.SynchronizationContext.Post(null!, null));
        Assert.Throws<ArgumentNullException>("d", () => _loop.SynchronizationContext.Send(null!, null));
        Assert.Equal(0, _loop.PendingCallbackCount);
        Assert.Throws<ArgumentNullException>("callback", () => _loop.Call(() => _loop.Post(null!, null)));
        Assert.True(_loop.Call(() => _loop.IsInLoop));
    }
}
