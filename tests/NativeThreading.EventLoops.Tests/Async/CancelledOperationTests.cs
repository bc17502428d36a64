using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>What an OperationCanceledException makes of an operation: as of a task.</summary>
public sealed class CancelledOperationTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly CancellationTokenSource _source = new();

    public void Dispose()
    {
        _loop.Dispose();
        _source.Dispose();
    }

    [Fact]
    public async Task OperationCanceledException_OfItsOwnToken_Cancels()
    {
        Task operation = _loop.InvokeAsync(
            () =>
            {
                _source.Cancel();
                _source.Token.ThrowIfCancellationRequested();
            },
            _source.Token);
        var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(operation));
        Assert.Equal((_source.Token, TaskStatus.Canceled), (exception.CancellationToken, operation.Status));
    }

    [Fact]
    public async Task OperationCanceledException_OfAnotherToken_IsAnException()
    {
        var foreign = new CancellationToken(canceled: true);
        Task[] synchronous =
        [
            _loop.InvokeAsync(() => foreign.ThrowIfCancellationRequested(), _source.Token),
            _loop.InvokeAsync<int>(int () => throw new OperationCanceledException(foreign), _source.Token),
        ];
        foreach (Task operation in synchronous)
        {
            await Assert.ThrowsAsync<OperationCanceledException>(() => Deadline.For(operation));
            Assert.Equal(TaskStatus.Faulted, operation.Status); // as Task.Run
        }
    }

    [Fact]
    public async Task CancelledTaskOfAnAsyncFunction_CancelsWithItsToken()
    {
        using var other = new CancellationTokenSource();
        await other.CancelAsync();
        Task operation = _loop.InvokeAsync(async () =>
        {
            await Task.Yield();
            other.Token.ThrowIfCancellationRequested();
        });
        var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(operation));
        Assert.Equal((other.Token, TaskStatus.Canceled), (exception.CancellationToken, operation.Status));
    }
}
