using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/run-later.md.</summary>
public sealed class RunLaterSnippets
{
    private int _sent;
    private int _cleanUps;

    [Fact]
    public async Task RunsLater_AndAgain()
    {
        await using var pool = new NativeThreadPool();
        using var stop = new CancellationTokenSource();
        CancellationToken token = stop.Token;
        const string message = "hello";

        Task retry = pool.RunAfter(TimeSpan.FromMilliseconds(5), () => Send(message), token);

        Task series = pool.RunEvery(TimeSpan.FromMilliseconds(1), RemoveExpiredEntriesAsync, token);

        await Deadline.For(retry);
        Assert.Equal(1, _sent);
        Deadline.Until(() => Volatile.Read(ref _cleanUps) >= 2);
        await Deadline.For(pool.Run(() => AwaitAsync(pool, token), CancellationToken.None));
        await stop.CancelAsync();
        await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(series));
    }

    private static async Task AwaitAsync(NativeThreadPool pool, CancellationToken token)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), pool.TimeProvider, token);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1), pool.TimeProvider);
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(5), pool.TimeProvider);

        Assert.True(await timer.WaitForNextTickAsync(patience.Token));
        Assert.Same(pool, NativeThreadPool.Current);
    }

    private void Send(string message) => _sent += message.Length == 5 ? 1 : 0;

    private async Task RemoveExpiredEntriesAsync()
    {
        await Task.Yield();
        Interlocked.Increment(ref _cleanUps);
    }
}
