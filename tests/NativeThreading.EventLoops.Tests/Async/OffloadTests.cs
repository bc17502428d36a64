using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Work on a pool, its completion on the loop: the callback form.</summary>
public sealed class OffloadTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions { MaxThreads = 2, UnhandledException = _ => true });

    public void Dispose()
    {
        _loop.Dispose();
        _pool.Dispose();
    }

    [Theory, CombinatorialBooleans]
    public void WorkRunsOnThePool_CompletionOnTheLoop_BothWithTheState(bool fromLoop)
    {
        var seen = new List<(string, NativeThreadPool?, EventLoop?, object?)>();
        using var completed = new ManualResetEventSlim();
        object state = new();
        void Offload() => _loop.Offload(
            _pool,
            given => seen.Add(("work", NativeThreadPool.Current, EventLoop.Current, given)),
            given =>
            {
                seen.Add(("completed", NativeThreadPool.Current, EventLoop.Current, given));
                completed.Set();
            },
            state);

        if (fromLoop)
        {
            _loop.Call(Offload);
        }
        else
        {
            Offload();
        }

        Deadline.Wait(completed);
        Assert.Equal([("work", _pool, null, state), ("completed", null, _loop, state)], seen);
    }

    [Theory, CombinatorialBooleans]
    public void T34_TheCallersContext_FlowsToBoth(bool fromLoop)
    {
        var local = new AsyncLocal<string?>();
        string? work = null;
        using var completed = new Observation<string?>(() => local.Value);
        void Offload()
        {
            local.Value = "caller";
            _loop.Offload(_pool, _ => work = local.Value, completed.Observe, null);
        }

        if (fromLoop)
        {
            _loop.Call(Offload);
        }
        else
        {
            StartGate.Run(1, _ => Offload());
        }

        Assert.Equal(("caller", "caller"), (completed.Result, work));
        Assert.Equal((null, null), (_loop.Call(() => local.Value), _pool.OnWorker(() => local.Value)));
    }

    [Fact]
    public void T42_WorkThatThrows_GoesToThePoolsHandler_AndTheCompletionRuns()
    {
        using var completed = new Observation<EventLoop?>(() => EventLoop.Current);
        _loop.Offload(_pool, static _ => throw new InvalidOperationException(), completed.Observe, null);
        Assert.Same(_loop, completed.Result);
    }

    [Fact]
    public void ACompletionThatOffloadsAgain_ReusesItsItem()
    {
        int left = 10_000;
        using var done = new ManualResetEventSlim();
        void Completed(object? state)
        {
            if (--left == 0)
            {
                done.Set();
            }
            else
            {
                _loop.Offload(_pool, static _ => { }, Completed, state);
            }
        }

        _loop.Offload(_pool, static _ => { }, Completed, null);
        Deadline.Wait(done);
    }

    [Fact]
    public void MissingArguments_AreRefused()
    {
        Assert.Throws<ArgumentNullException>("pool", () => _loop.Offload(null!, static _ => { }, static _ => { }, null));
        Assert.Throws<ArgumentNullException>("work", () => _loop.Offload(_pool, null!, static _ => { }, null));
        Assert.Throws<ArgumentNullException>("completed", () => _loop.Offload(_pool, static _ => { }, null!, null));
        Action[] calls =
        [
            () => _loop.OffloadAsync(null!, () => { }),
            () => _loop.OffloadAsync(_pool, (Action)null!),
            () => _loop.OffloadAsync(_pool, (Func<int>)null!),
            () => _loop.OffloadAsync(_pool, (Func<Task>)null!),
            () => _loop.OffloadAsync(_pool, (Func<Task<int>>)null!),
        ];
        Assert.All(calls, call => Assert.Throws<ArgumentNullException>(call));
    }

    [Fact]
    public async Task Shutdown_WaitsForOutstandingWork()
    {
        using var release = new ManualResetEventSlim();
        int completed = 0;
        for (int i = 0; i < 10; i++)
        {
            _loop.Offload(_pool, _ => release.Wait(Deadline.Time), _ => completed++, null);
        }

        Task<int> operation = _loop.OffloadAsync(_pool, () => 5);
        Task<long> stopped = _loop.ShutdownAsync(CancellationToken.None);
        _loop.SynchronizationContext.Send(_ => { }, null); // it is there
        Assert.False(stopped.IsCompleted);
        release.Set();
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal((10, 5), (completed, await Deadline.For(operation)));
        Assert.Equal(0, _loop.RanElsewhereCount);
    }
}
