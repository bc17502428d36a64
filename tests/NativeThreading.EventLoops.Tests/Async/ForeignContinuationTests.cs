using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Code elsewhere that awaits an operation does not take over the loop's thread (T109), and the loop needs no other.</summary>
public sealed class ForeignContinuationTests : IDisposable
{
    private static readonly Dictionary<string, Func<EventLoop, NativeThreadPool, Task>> s_ownOperations = new()
    {
        ["synchronous"] = (loop, _) => loop.InvokeAsync(() => { }),
        ["asynchronous"] = (loop, _) => loop.InvokeAsync(async () => await Task.Yield()),
        ["ending elsewhere"] = (loop, _) => loop.InvokeAsync(() => Task.Run(() => Thread.Yield())),
        ["offloaded"] = (loop, pool) => loop.OffloadAsync(pool, () => { }),
        ["offloaded, asynchronous"] = (loop, pool) => loop.OffloadAsync(pool, async () => await Task.Yield()),
    };

    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Theory, CombinatorialBooleans]
    public async Task T109_AwaitsOfOtherThreads_ContinueElsewhere(bool begunOnTheLoop, bool isAsync)
    {
        for (int i = 0; i < 200; i++)
        {
            var gate = new TaskCompletionSource();
            Task operation = begunOnTheLoop ? _loop.Call(Begin) : Begin();
            Task<bool> waiter = Wait(operation);
            gate.SetResult();
            Assert.False(await Deadline.For(waiter));

            Task Begin() => isAsync
                ? _loop.InvokeAsync(async () => await gate.Task)
                : _loop.InvokeAsync(() => Deadline.Wait(gate.Task));
        }

        async Task<bool> Wait(Task operation)
        {
            await operation.ConfigureAwait(false);
            return _loop.IsInLoop;
        }
    }

    [Fact]
    public async Task T109_ContinuationsThatAskToRunAtOnce_StillRunElsewhere()
    {
        using var blocked = new ManualResetEventSlim();
        Task operation;
        Task<bool> continuation;
        using (new OccupiedLoop(_loop))
        {
            operation = _loop.InvokeAsync(() => { });
            continuation = operation.ContinueWith(
                _ => _loop.IsInLoop, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        Assert.False(await Deadline.For(continuation));
    }

    public static TheoryData<string> OwnOperations() => new(s_ownOperations.Keys);

    [Theory, MemberData(nameof(OwnOperations))]
    public void T109_OperationsBegunOnTheLoop_CompleteOnIt(string name)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Task<bool> completedOnLoop = _loop.Call(() => s_ownOperations[name](_loop, pool).ContinueWith(
            _ => _loop.IsInLoop, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default));
        Assert.True(Deadline.Result(completedOnLoop));
    }

    [Theory, MemberData(nameof(OwnOperations))]
    public void T38_ContinuationThatDisposesTheLoop_DoesNotWaitForItself(string name)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var loop = new EventLoop();
        Task disposed = loop.Call(() => s_ownOperations[name](loop, pool).ContinueWith(
            _ => loop.Dispose(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default));
        Deadline.Wait(disposed);
        Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
    }

    /// <summary>Nothing that a loop does passes through the built-in pool, not even the end of an operation.</summary>
    [Fact]
    public async Task T67_WithTheRuntimesPoolBlocked_OperationsAndOffloadsComplete()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(IsolationChild.RuntimesPoolIsBlocked);
        Assert.True(child.ExitCode == 0, child.ToString());
    }
}
