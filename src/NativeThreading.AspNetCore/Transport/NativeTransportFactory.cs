using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Binds Kestrel's endpoints to loops, which all of them share. Where loops cannot watch descriptors it says so once, and Kestrel's
/// own sockets do the work.
/// </summary>
internal sealed class NativeTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector, IAsyncDisposable, IDisposable
{
    private readonly IServiceProvider _services;
    private readonly NativeTransportOptions _options;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private readonly bool _isUsable;
    private SocketTransportFactory? _sockets;
    private EventLoopGroup? _group;
    private LoopSchedulers? _loops;
    private TransportContext? _transport;

    public NativeTransportFactory(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers)
        : this(services, options, loggers, OperatingSystem.IsLinux() && NativeThreadPool.Core == ThreadingCore.Native)
    {
    }

    internal NativeTransportFactory(IServiceProvider services, IOptions<NativeTransportOptions> options, ILoggerFactory loggers, bool isUsable)
    {
        (_services, _options, _isUsable) = (services, options.Value, isUsable);
        _logger = loggers.CreateLogger(Log.Category);
    }

    public bool CanBind(EndPoint endpoint) => endpoint is IPEndPoint or UnixDomainSocketEndPoint or FileHandleEndPoint;

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        if (!_isUsable)
        {
            return await Sockets().BindAsync(endpoint, cancellationToken).ConfigureAwait(false);
        }

        Prepare();
        Socket socket = Listen(endpoint);
        try
        {
            var listener = new LoopListener(_loops!, _transport!, socket);
            await listener.StartAsync().ConfigureAwait(false);
            return listener;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public ValueTask DisposeAsync() => _group?.DisposeAsync() ?? default;

    public void Dispose() => _group?.Dispose();

    private Socket Listen(EndPoint endpoint)
    {
        Socket? socket = null;
        try
        {
            socket = SocketTransportOptions.CreateDefaultBoundListenSocket(endpoint);
            socket.Blocking = false;
            if (socket.ProtocolType == ProtocolType.Tcp)
            {
                socket.NoDelay = _options.NoDelay; // accepted sockets inherit it
            }

            socket.Listen(_options.Backlog);
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            if (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                throw new AddressInUseException(exception.Message, exception);
            }

            throw;
        }
    }

    private void Prepare()
    {
        lock (_lock)
        {
            if (_group is null)
            {
                NativeThreadPool? pool = _options.PoolName is { } name ? PoolRequests.Pool(_services, name, "The native transport") : null;
                _transport = new TransportContext(_options, pool, _logger);
                _group = new EventLoopGroup(_options.LoopCount, new EventLoopOptions { Name = "kestrel" });
                _loops = new LoopSchedulers(_group);
            }
        }
    }

    private SocketTransportFactory Sockets()
    {
        lock (_lock)
        {
            if (_sockets is null)
            {
                Log.TransportNotUsable(_logger, NativeThreadPool.Core);
                _sockets = ActivatorUtilities.CreateInstance<SocketTransportFactory>(_services);
            }

            return _sockets;
        }
    }
}
