using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Binds Kestrel's endpoints to loops, which all of them share. If loops cannot watch descriptors, or none can be created, one warning says
/// so, and Kestrel's socket transport carries the connections.
/// </summary>
internal sealed class NativeTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector, IAsyncDisposable, IDisposable
{
    private readonly IServiceProvider _services;
    private readonly IOptions<NativeTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private readonly bool _isUsable;
    private SocketTransportFactory? _sockets;
    private Task<LoopTransport?>? _transport; // its result is null if no loop can be created

    public NativeTransportFactory(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers)
        : this(services, options, loggers, OperatingSystem.IsLinux() && NativeThreadPool.Core == ThreadingCore.Native)
    {
    }

    internal NativeTransportFactory(
        IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers, bool isUsable)
    {
        (_services, _options, _isUsable) = (services, options, isUsable);
        _logger = loggers.CreateLogger(Log.Category);
    }

    /// <summary>The endpoints of Kestrel's socket transport. Named pipes and others belong to other transports (T104).</summary>
    public bool CanBind(EndPoint endpoint) => endpoint is IPEndPoint or UnixDomainSocketEndPoint or FileHandleEndPoint;

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        return _isUsable && await Transport().ConfigureAwait(false) is { } transport
            ? await transport.BindAsync(endpoint).ConfigureAwait(false)
            : await Sockets().BindAsync(endpoint, cancellationToken).ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        if (Existing is { } transport)
        {
            await transport.DisposeAsync().ConfigureAwait(false);
        }
    }

    public void Dispose() => Existing?.Dispose();

    private LoopTransport? Existing => _transport is { IsCompletedSuccessfully: true } transport ? transport.Result : null;

    /// <summary>Created at the first endpoint: an application that is built and not started has no loops. A failure fails all endpoints.</summary>
    private Task<LoopTransport?> Transport()
    {
        lock (_lock)
        {
            return _transport ??= LoopTransport.CreateAsync(_services, _options.Value, _logger);
        }
    }

    private SocketTransportFactory Sockets()
    {
        lock (_lock)
        {
            if (_sockets is null && !_isUsable)
            {
                Log.TransportNotUsable(_logger, NativeThreadPool.Core);
            }

            return _sockets ??= ActivatorUtilities.CreateInstance<SocketTransportFactory>(_services);
        }
    }
}
