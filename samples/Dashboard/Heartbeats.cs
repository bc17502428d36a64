using NativeThreading.EventLoops;

namespace NativeThreading.Samples.Dashboard;

/// <summary>An event loop with timers, of which some fire often.</summary>
internal sealed class Heartbeats : IHostedService, IDisposable
{
    private static readonly TimeSpan[] s_periods = [.. new[] { 10, 25, 100, 1000, 5000 }.Select(static period => TimeSpan.FromMilliseconds(period))];

    private EventLoop? _loop;
    private ITimer[] _timers = [];

    public Task StartAsync(CancellationToken cancellationToken)
    {
        EventLoop loop = _loop = new EventLoop(new EventLoopOptions { Name = "heartbeats" });
        _timers = Array.ConvertAll(s_periods, period => loop.TimeProvider.CreateTimer(Beat, null, period, period));
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        foreach (ITimer timer in _timers)
        {
            await timer.DisposeAsync();
        }

        await (_loop?.ShutdownAsync(cancellationToken) ?? Task.CompletedTask);
    }

    public void Dispose() => _loop?.Dispose();

    private static void Beat(object? state) => Thread.SpinWait(Random.Shared.Next(100, 5_000));
}
