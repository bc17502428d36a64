using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.AspNetCore;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>The loops that all endpoints share.</summary>
internal sealed class LoopTransport : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly NativeTransportOptions _options;
    private readonly TransportContext _context;
    private readonly EventLoopGroup _group;
    private readonly LoopSchedulers _loops;

    private readonly AdaptiveRequests? _adaptive;

    private LoopTransport(
        EventLoopGroup group, NativeTransportOptions options, ApplicationScheduler? pool, AdaptiveRequests? adaptive, ILogger logger)
    {
        (_group, _options, _adaptive) = (group, options, adaptive);
        _context = new TransportContext(options, pool, logger);
        _loops = new LoopSchedulers(_group, options.MayRunOnLoops);
    }

    /// <param name="services">The application's, which know the pool.</param>
    /// <param name="options">How many loops, and the rest.</param>
    /// <param name="logger">For what happens to connections.</param>
    /// <returns>The transport; <see langword="null"/> if the system allows no loop, which is then logged.</returns>
    /// <exception cref="InvalidOperationException">The pool is unknown, or two options contradict each other.</exception>
    public static async Task<LoopTransport?> CreateAsync(IServiceProvider services, NativeTransportOptions options, ILogger logger)
    {
        options.Check();
        NativeThreadPool? named = options.PoolName is { } name ? PoolRequests.Pool(services, name, "The native transport") : null;
        if (TryCreateLoops(options, logger) is not { } group)
        {
            return null;
        }

        ApplicationScheduler? pool = options.Requests == NativeTransportRequests.Pool
            ? await ApplicationScheduler.OfAsync(named!).ConfigureAwait(false)
            : null;
        AdaptiveRequests? adaptive = options.Requests == NativeTransportRequests.Adaptive ? services.GetService<AdaptiveRequests>() : null;
        var transport = new LoopTransport(group, options, pool, adaptive, logger);
        adaptive?.Begin(transport._group.Loops[0], named);
        return transport;
    }

    /// <exception cref="AddressInUseException">Somebody listens there already.</exception>
    /// <exception cref="SocketException">The system refuses for another reason.</exception>
    public async Task<IConnectionListener> BindAsync(EndPoint endpoint)
    {
        Socket socket = Listen(endpoint);
        try
        {
            var listener = new LoopListener(_loops, _context, socket, _options.Backlog);
            await listener.StartAsync().ConfigureAwait(false);
            return listener;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Kestrel's connections have ended by now, or Kestrel has given them up. What still blocks on a loop may never end, and the
    /// process is not to wait for it.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        using var patience = new CancellationTokenSource(_options.MayRunOnLoops ? s_patience : Timeout.InfiniteTimeSpan);
        await Task.WhenAll(_group.ShutdownAsync(patience.Token), _adaptive?.EndAsync(patience.Token) ?? Task.CompletedTask).ConfigureAwait(false);
        if (patience.IsCancellationRequested && _context.Open.Now is > 0 and var left)
        {
            Log.LeftBehind(_context.Logger, left, s_patience.TotalSeconds);
        }
    }

    public void Dispose()
    {
        Task stopped = DisposeAsync().AsTask();
        if (!_group.Loops.Any(static loop => loop.IsInLoop))
        {
            stopped.GetAwaiter().GetResult();
        }
    }

    /// <summary>A filter of system calls, as containers have them, may forbid what loops need; or there are no descriptors, or no threads.</summary>
    private static EventLoopGroup? TryCreateLoops(NativeTransportOptions options, ILogger logger)
    {
        try
        {
            return new EventLoopGroup(options.LoopCount, new EventLoopOptions
            {
                Name = "kestrel",
                HandsOverWhenBlocked = options.MayRunOnLoops, // nothing of the transport's own relies on the thread
                HandsOverWhenComputing = options.MayRunOnLoops,
                UnhandledException = exception => GoesOn(logger, exception),
            });
        }
        catch (Exception exception) when (exception is InvalidOperationException or OutOfMemoryException)
        {
            Log.NoLoop(logger, exception.Message, exception);
            return null;
        }
    }

    /// <summary>An error of one callback is no reason to end a server, or a loop that carries others.</summary>
    private static bool GoesOn(ILogger logger, Exception exception)
    {
        try
        {
            Log.LoopCallbackFailed(logger, exception);
        }
        catch (Exception)
        {
            // A logger that throws may be what has failed in the first place.
        }

        return true;
    }

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
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            socket?.Dispose();
            throw new AddressInUseException(exception.Message, exception);
        }
        catch
        {
            socket?.Dispose();
            throw;
        }
    }
}
