using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Binds Kestrel's endpoints to loops, which all of them share. If loops cannot watch descriptors, or none can be created, one warning says
/// so, and Kestrel's socket transport carries the connections.</summary>
internal sealed class NativeTransportFactory(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector, IAsyncDisposable, IDisposable
{
    private readonly ILogger _logger = loggers.CreateLogger(Log.Category);
    private readonly Lock _lock = new();
    private SocketTransportFactory? _sockets;
    private Task<LoopTransport?>? _transport; // its result is null if no loop can be created

    /// <summary>Whether loops can watch descriptors here.</summary>
    internal bool IsUsable { get; init; } = OperatingSystem.IsLinux() && NativeThreadPool.Core == ThreadingCore.Native;

    /// <summary>Binds the endpoints of Kestrel's socket transport. Named pipes and others belong to other transports (T104).</summary>
    public bool CanBind(EndPoint endpoint) => endpoint is IPEndPoint or UnixDomainSocketEndPoint or FileHandleEndPoint;

    private LoopTransport? Existing => _transport is { IsCompletedSuccessfully: true } transport ? transport.Result : null;

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        IsUsable && await Transport().ConfigureAwait(false) is { } transport
            ? await transport.BindAsync(endpoint).ConfigureAwait(false)
            : await Sockets().BindAsync(endpoint, cancellationToken).ConfigureAwait(false);

    public ValueTask DisposeAsync() => Existing?.DisposeAsync() ?? ValueTask.CompletedTask;

    public void Dispose() => Existing?.Dispose();

    /// <summary>Created at the first endpoint: an application that is built and not started has no loops. A failure fails all endpoints.</summary>
    private Task<LoopTransport?> Transport()
    {
        lock (_lock)
        {
            return _transport ??= LoopTransport.CreateAsync(services, options.Value, _logger);
        }
    }

    private SocketTransportFactory Sockets()
    {
        lock (_lock)
        {
            if (_sockets is null && !IsUsable)
            {
                Log.TransportNotUsable(_logger, NativeThreadPool.Core);
            }

            return _sockets ??= ActivatorUtilities.CreateInstance<SocketTransportFactory>(services);
        }
    }
}
