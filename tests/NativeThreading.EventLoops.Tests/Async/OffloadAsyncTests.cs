using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The four forms of OffloadAsync.</summary>
public sealed class OffloadAsyncTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose()
    {
        _loop.Dispose();
        _pool.Dispose();
    }

    [Theory, CombinatorialBooleans]
    public async Task AllForms_RunOnThePoolAndGiveTheirResult(bool fromLoop)
    {
        var ran = new List<NativeThreadPool?>();
        (Task, Task<int>, Task, Task<int>) Start() => (
            _loop.OffloadAsync(_pool, () => ran.Add(NativeThreadPool.Current)),
            _loop.OffloadAsync(_pool, () =>
            {
                ran.Add(NativeThreadPool.Current);
                return 1;
            }),
            _loop.OffloadAsync(_pool, async () =>
            {
                await Task.Yield();
                ran.Add(NativeThreadPool.Current);
            }),
            _loop.OffloadAsync(_pool, async () =>
            {
                await Task.Yield();
                ran.Add(NativeThreadPool.Current);
                return 2;
            }));

        (Task action, Task<int> function, Task asyncAction, Task<int> asyncFunction) = fromLoop ? _loop.Call(Start) : Start();
        await Deadline.For(Task.WhenAll(action, function, asyncAction, asyncFunction));
        Assert.Equal((1, 2), (await function, await asyncFunction));
        Assert.Equal([_pool, _pool, _pool, _pool], ran);
    }

    [Fact]
    public async Task AllForms_GiveTheirException()
    {
        Task[] operations =
        [
            _loop.OffloadAsync(_pool, () => throw new InvalidTimeZoneException()),
            _loop.OffloadAsync<int>(_pool, int () => throw new InvalidTimeZoneException()),
            _loop.OffloadAsync(_pool, Task () => throw new InvalidTimeZoneException()),
            _loop.OffloadAsync<int>(_pool, async () =>
            {
                await Task.Yield();
                throw new InvalidTimeZoneException();
            }),
        ];
        foreach (Task operation in operations)
        {
            await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(operation));
        }
    }

    [Fact]
    public async Task T34_TheCallersContext_FlowsThereAndBack()
    {
        var local = new AsyncLocal<string?>();
        (string?, string?) seen = await Deadline.For(_loop.InvokeAsync(async () =>
        {
            local.Value = "caller";
            string? there = await _loop.OffloadAsync(_pool, () => local.Value);
            return (there, local.Value);
        }));
        Assert.Equal(("caller", "caller"), seen);
    }

    [Fact]
    public async Task ATokenCancelsWhatHasNotBegun_AndNothingElse()
    {
        using var source = new CancellationTokenSource();
        Task[] waiting;
        int ran = 0;
        using (new BlockedWorkers(_pool, 1))
        {
            waiting =
            [
                _loop.OffloadAsync(_pool, () => { ran++; }, source.Token),
                _loop.OffloadAsync(_pool, () => ran++, source.Token),
                _loop.OffloadAsync(_pool, async () => { ran += await Task.FromResult(1); }, source.Token),
                _loop.OffloadAsync(_pool, async () => ran += await Task.FromResult(1), source.Token),
            ];
            await source.CancelAsync();
        }

        foreach (Task operation in waiting)
        {
            var exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(operation));
            Assert.Equal(source.Token, exception.CancellationToken);
        }

        Assert.Equal(0, ran);
        using var late = new CancellationTokenSource();
        Assert.Equal(5, await Deadline.For(_loop.OffloadAsync(
            _pool,
            () =>
            {
                late.Cancel();
                return 5;
            },
            late.Token)));
        Assert.Equal(0, await Deadline.For(_loop.ShutdownAsync(CancellationToken.None)));
    }
}
