using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Async functions of Run with a token: what begins is not cancelled, what is cancelled does not begin.</summary>
public sealed class OperationCancellationTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public async Task CancelledInTheQueue_NeverRuns_AndSaysByWhichToken(bool withResult)
    {
        using var source = new CancellationTokenSource();
        bool ran = false;
        Task operation;
        using (new BlockedWorkers(_pool, 2))
        {
            operation = withResult
                ? _pool.Run(() => Task.FromResult(ran = true), source.Token)
                : _pool.Run(
                    () =>
                    {
                        ran = true;
                        return Task.CompletedTask;
                    },
                    source.Token);
            Assert.False(operation.IsCompleted);
            await source.CancelAsync();
            var thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => operation.WaitAsync(Deadline.Time));
            Assert.Equal(source.Token, thrown.CancellationToken);
        }

        _pool.WaitUntilQuiet();
        Assert.True(operation.IsCanceled);
        Assert.False(ran);
    }

    [Theory, CombinatorialBooleans]
    public void CancelledBefore_QueuesNothing(bool isAsync)
    {
        using (new BlockedWorkers(_pool, 2))
        {
            var token = new CancellationToken(canceled: true);
            Task operation = isAsync ? _pool.RunAsync(static () => Task.CompletedTask, token) : _pool.Run(static () => Task.CompletedTask, token);
            Assert.True(operation.IsCanceled);
            Assert.Equal(0, _pool.PendingWorkItemCount);
        }
    }

    [Fact]
    public async Task Begun_IsNotCancelledByItsToken()
    {
        using var source = new CancellationTokenSource();
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> operation = _pool.Run(
            async () =>
            {
                started.SetResult();
                await goOn.Task;
                return 42;
            },
            source.Token);
        await started.Task.WaitAsync(Deadline.Time);
        await source.CancelAsync();
        Assert.False(operation.IsCompleted);
        goOn.SetResult();
        Assert.Equal(42, await operation.WaitAsync(Deadline.Time));
    }

    [Fact]
    public void CancelledOperation_KeepsItsFunctionNoLonger()
    {
        using var source = new CancellationTokenSource();
        using (new BlockedWorkers(_pool, 2))
        {
            WeakReference captured = QueueOne(source.Token);
            source.Cancel();
            Retention.AssertCollected(captured);
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private WeakReference QueueOne(CancellationToken token)
    {
        var state = new object();
        _ = _pool.Run(
            () =>
            {
                GC.KeepAlive(state);
                return Task.CompletedTask;
            },
            token);
        return new WeakReference(state);
    }
}
