using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>The transport without Kestrel.</summary>
internal sealed class TransportUnderTest : IAsyncDisposable
{
    private readonly ServiceProvider _services;

    /// <param name="isUsable">Whether loops watch descriptors.</param>
    /// <param name="configure">Sets options.</param>
    public TransportUnderTest(bool isUsable = true, Action<NativeTransportOptions>? configure = null)
    {
        _services = new ServiceCollection()
            .AddLogging(logging => logging.SetMinimumLevel(LogLevel.Debug).AddProvider(Records))
            .AddOptions()
            .BuildServiceProvider();
        var options = new NativeTransportOptions();
        configure?.Invoke(options);
        Factory = new NativeTransportFactory(_services, Options.Create(options), _services.GetRequiredService<ILoggerFactory>()) { IsUsable = isUsable };
    }

    public TransportRecords Records { get; } = new();

    public NativeTransportFactory Factory { get; }

    public Task<IConnectionListener> BindAsync(EndPoint endpoint) => Deadline.For(Factory.BindAsync(endpoint).AsTask());

    public async ValueTask DisposeAsync()
    {
        await Deadline.For(Factory.DisposeAsync().AsTask(), "disposal of the transport");
        await _services.DisposeAsync();
    }
}
