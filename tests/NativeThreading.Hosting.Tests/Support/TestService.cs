using Microsoft.Extensions.Hosting;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>Another service of the host, such as its server.</summary>
internal sealed class TestService(Action? start = null, Func<CancellationToken, Task>? stop = null) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken)
    {
        start?.Invoke();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => stop?.Invoke(cancellationToken) ?? Task.CompletedTask;
}
