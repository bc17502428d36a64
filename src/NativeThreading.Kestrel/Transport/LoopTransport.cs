using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.AspNetCore;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>The loops of all endpoints, and what their connections share.</summary>
internal sealed class LoopTransport : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly NativeTransportOptions _options;
    private readonly EventLoopGroup _group;
    private readonly LoopScheduler[] _loops;
    private readonly AdaptiveRequests? _adaptive;
    private uint _next;
    private int _connections;

    private LoopTransport(
        EventLoopGroup group, NativeTransportOptions options, PoolScheduler? pool, AdaptiveRequests? adaptive, ILogger logger)
    {
        (_group, _options, _adaptive, Logger) = (group, options, adaptive, logger);
        _loops = [.. group.Loops.Select(loop => new LoopScheduler(loop, options.MayRunOnLoops))];
        Application = options.MayRunOnLoops ? null : pool ?? PipeScheduler.ThreadPool;
    }

    public ILogger Logger { get; }

    public PinnedBlockPool Memory { get; } = new();

    /// <summary>Where the application runs; <see langword="null"/>: on the loop of each connection, unless that speaks HTTP/2.</summary>
    public PipeScheduler? Application { get; }

    /// <summary>Whether requests are measured.</summary>
    public bool IsAdaptive => _options.Requests == NativeTransportRequests.Adaptive;

    /// <returns><see langword="null"/> if the system allows no loop, which is then logged.</returns>
    /// <exception cref="InvalidOperationException">The pool is unknown, or two options contradict each other.</exception>
    public static async Task<LoopTransport?> CreateAsync(IServiceProvider services, NativeTransportOptions options, ILogger logger)
    {
        options.Check();
        NativeThreadPool? named = options.PoolName is { } name ? PoolRequests.Pool(services, name, "The native transport") : null;
        if (TryCreateLoops(options, logger) is not { } group)
        {
            return null;
        }

        PoolScheduler? pool = options.Requests == NativeTransportRequests.Pool ? await PoolScheduler.OfAsync(named!).ConfigureAwait(false) : null;
        AdaptiveRequests? adaptive = options.Requests == NativeTransportRequests.Adaptive ? services.GetService<AdaptiveRequests>() : null;
        adaptive?.Begin(group.Loops[0], named);
        return new LoopTransport(group, options, pool, adaptive, logger);
    }

    /// <exception cref="AddressInUseException">Another socket listens there already.</exception>
    /// <exception cref="SocketException">The system reports another error.</exception>
    public async Task<IConnectionListener> BindAsync(EndPoint endpoint)
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
            var listener = new LoopListener(this, socket, _options.Backlog);
            await listener.StartAsync().ConfigureAwait(false);
            return listener;
        }
        catch (Exception exception)
        {
            socket?.Dispose();
            if (exception is SocketException { SocketErrorCode: SocketError.AddressAlreadyInUse })
            {
                throw new AddressInUseException(exception.Message, exception);
            }

            throw;
        }
    }

    /// <summary>The loops in turn.</summary>
    public LoopScheduler NextLoop() => _loops[(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>Counts the connections that have not ended.</summary>
    public void CountConnection(int change) => Interlocked.Add(ref _connections, change);

    /// <summary>A pipe from the socket to the application.</summary>
    public Pipe NewInput(PipeScheduler readers, PipeScheduler writers) => NewPipe(readers, writers, _options.MaxReadBufferSize ?? 0);

    /// <summary>A pipe from the application to the socket. Its reader runs after the code that flushes, so one call sends the bytes of several flushes.</summary>
    public Pipe NewOutput(PipeScheduler readers, PipeScheduler writers) => NewPipe(readers, writers, _options.MaxWriteBufferSize ?? 0);

    /// <summary>Kestrel's connections have ended by now, or Kestrel has abandoned them. Code that still blocks on a loop may never return, and the
    /// process must not wait for it.</summary>
    public async ValueTask DisposeAsync()
    {
        using var patience = new CancellationTokenSource(_options.MayRunOnLoops ? s_patience : Timeout.InfiniteTimeSpan);
        await Task.WhenAll(_group.ShutdownAsync(patience.Token), _adaptive?.EndAsync(patience.Token) ?? Task.CompletedTask).ConfigureAwait(false);
        if (patience.IsCancellationRequested && Volatile.Read(ref _connections) is > 0 and var left)
        {
            Log.LeftBehind(Logger, left, s_patience.TotalSeconds);
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

    /// <summary>A filter of system calls, as containers have them, may forbid the calls that loops need; or descriptors or threads are used up.</summary>
    private static EventLoopGroup? TryCreateLoops(NativeTransportOptions options, ILogger logger)
    {
        try
        {
            return new EventLoopGroup(options.LoopCount, new EventLoopOptions
            {
                Name = "kestrel",
                HandsOverWhenBlocked = options.MayRunOnLoops, // no code of the transport relies on the thread
                HandsOverWhenComputing = options.MayRunOnLoops,
                UnhandledException = exception => LogAndContinue(logger, exception),
            });
        }
        catch (Exception exception) when (exception is InvalidOperationException or OutOfMemoryException)
        {
            Log.NoLoop(logger, exception.Message, exception);
            return null;
        }
    }

    /// <summary>An exception of one callback must not end a server, or a loop that carries other connections.</summary>
    private static bool LogAndContinue(ILogger logger, Exception exception)
    {
        try
        {
            Log.LoopCallbackFailed(logger, exception);
        }
        catch (Exception)
        {
            // The logger may be what has failed in the first place.
        }

        return true;
    }

    private Pipe NewPipe(PipeScheduler readers, PipeScheduler writers, long limit) =>
        new(new PipeOptions(Memory, readers, writers, limit, limit / 2, useSynchronizationContext: false));
}
