using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Kestrel.Transport;

/// <summary>One connection. Its loop reads from the socket and reports when the socket takes bytes again; the application uses the other ends of two
/// pipes. The first call that closes the connection decides how. Only the loop closes the socket, after its registration.</summary>
/// <remarks>This file has the parts that both directions share; <c>Receiving</c>, <c>Reading</c> and <c>Sending</c> follow the bytes.</remarks>
internal sealed partial class LoopConnection : ConnectionContext, IConnectionSocketFeature, IMemoryPoolFeature, IDuplexPipe,
    IConnectionIdFeature, IConnectionItemsFeature, IConnectionTransportFeature, IConnectionLifetimeFeature, IConnectionEndPointFeature
{
    private const int Parts = 4; // receiving, sending, the socket, the token's callbacks

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private static long s_lastId = Random.Shared.NextInt64(); // so that the ids of two runs differ in a log

    private readonly LoopTransport _transport;
    private readonly LoopScheduler _loop;
    private readonly PipeScheduler _application;
    private readonly NextRequest? _next;
    private readonly Reader _reader;
    private readonly PipeWriter _writer;
    private readonly CancellationTokenSource _closed = new();
    private EventLoopRegistration? _registration;
    private TaskCompletionSource? _ended; // of DisposeAsync, which waits for the last part
    private ConnectionFeatures? _features;
    private Exception? _closeReason;
    private EventLoopTimer? _endTimer;
    private int _isClosing, _isTold, _parts = Parts, _readsSeen;
    private bool _isAbort, _hasClientEnded;

    public LoopConnection(LoopTransport transport, LoopScheduler loop, Socket socket, EndPoint? local, EndPoint? remote)
    {
        (_transport, _loop, Socket, LocalEndPoint, RemoteEndPoint) = (transport, loop, socket, local, remote);
        _application = transport.Application ?? new ConnectionScheduler(loop);
        _next = transport.IsAdaptive ? new NextRequest((ConnectionScheduler)_application, loop.Loop.SynchronizationContext) : null;
        PoolReads = _application is PoolScheduler pool ? new PoolReads(this, pool) : null;
        PipeScheduler reads = (PipeScheduler?)_next ?? PoolReads ?? _application;
        PipeScheduler sends = transport.IsAdaptive ? new SenderScheduler((ConnectionScheduler)_application) : _application;
        Pipe input = transport.NewInput(readers: reads, writers: loop), output = transport.NewOutput(readers: sends, writers: _application);
        (_input, _output, _writer) = (input.Writer, output.Reader, output.Writer);
        _reader = new Reader(this, input.Reader, reads);
        _onSendable = () => Send(hasRead: true);
        _readsToTheEnd = socket.ProtocolType != ProtocolType.Tcp;
        Transport = this;
        ConnectionClosed = _closed.Token;
    }

    public Socket Socket { get; }

    /// <summary>Schedules the connection's reads, if the application runs on a named pool.</summary>
    public PoolReads? PoolReads { get; }

    public override string ConnectionId { get => field ??= Interlocked.Increment(ref s_lastId).ToString("X16", null); set; }
    public override IFeatureCollection Features => _features ??= new ConnectionFeatures(this);
    public override IDictionary<object, object?> Items { get => field ??= new ConnectionItems(); set; }
    public override IDuplexPipe Transport { get; set; }
    public override CancellationToken ConnectionClosed { get; set; }
    public override EndPoint? LocalEndPoint { get; set; }
    public override EndPoint? RemoteEndPoint { get; set; }
    System.Buffers.MemoryPool<byte> IMemoryPoolFeature.MemoryPool => _transport.Memory;
    PipeReader IDuplexPipe.Input => _reader;
    PipeWriter IDuplexPipe.Output => _writer;

    private ILogger Logger => _transport.Logger;

    /// <summary>Null until <see cref="Open"/> has stored it, which may be after the first event if the loop was taken over meanwhile.</summary>
    private EventLoopRegistration? Registration => Volatile.Read(ref _registration); // pairs with the write in Open

    /// <summary>Called on the loop, before other code knows the connection. If it throws, the socket is not watched. If another thread takes the loop
    /// over meanwhile, it may call the handler before the registration is known here.</summary>
    public void Open()
    {
        EventLoopRegistration registration = _loop.Loop.UnsafeRegister(
            Socket.SafeHandle,
            EventLoopInterest.Read | EventLoopInterest.Write | EventLoopInterest.EdgeTriggered,
            static (ready, connection) => ((LoopConnection)connection!).OnReady(ready),
            this);
        Volatile.Write(ref _registration, registration);
        _transport.CountConnection(1);
        Send(hasRead: false);
    }

    public override void Abort() => Abort(new ConnectionAbortedException("The connection was aborted by the application."));

    /// <summary>After the peer's FIN Kestrel passes null, and expects a FIN after the bytes that it has flushed.</summary>
    public override void Abort(ConnectionAbortedException? abortReason)
    {
        if (abortReason is null)
        {
            FinishSending();
        }
        else
        {
            Close(abortReason);
            _output.CancelPendingRead(); // ends the sender with its next step
        }
    }

    public override async ValueTask DisposeAsync()
    {
        // The application's ends of the pipes, even if it has replaced them.
        await _reader.CompleteAsync().ConfigureAwait(false);
        await _writer.CompleteAsync().ConfigureAwait(false);

        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ended = Interlocked.CompareExchange(ref _ended, ended, null) ?? ended; // a full fence
        if (Volatile.Read(ref _parts) == 0)
        {
            ended.TrySetResult();
        }

        await ended.Task.ConfigureAwait(false);
        _closed.Dispose();
        if (Registration is not null)
        {
            _transport.CountConnection(-1);
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>For a debugger. Another thread may change it meanwhile.</summary>
    public override string ToString() =>
        $"{ConnectionId} on {_loop.Loop}, input {(_isFlushing ? "full" : "open")}, output {(_gate.IsWaiting ? "full" : "open")}";

    /// <summary>From any thread. The first call decides.</summary>
    /// <param name="reason">Null: an orderly end, after which all sent bytes arrive. Otherwise the peer gets a reset.</param>
    private void Close(Exception? reason)
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0)
        {
            return;
        }

        // Before the socket is closed: a read or write that fails then gets this reason.
        _isAbort = reason is not null;
        Volatile.Write(ref _closeReason, reason ?? new ConnectionAbortedException("This side closed the connection gracefully."));
        _loop.Schedule(static connection => ((LoopConnection)connection!).CloseOnLoop(), this);
    }

    private void CloseOnLoop()
    {
        try
        {
            lock (_turns) // no read while the socket is closed
            {
                try
                {
                    Registration?.Dispose(); // before the socket, whose disposal waits for every user of its handle
                    CloseSocket();
                }
                finally
                {
                    EndReceivingLocked(null);
                }
            }
        }
        finally
        {
            if (_hasClientEnded)
            {
                TellClosed();
            }

            OnWritable(); // the sender may wait for an edge that will not come
            _output.CancelPendingRead();
            PartEnded();
        }
    }

    /// <summary>The kernel sends the bytes that it has, and then a FIN; or a reset, for an abort or if bytes are left unread.</summary>
    private void CloseSocket()
    {
        if (_isAbort)
        {
            Socket.Close(0);
            Log.ConnectionWriteRst(Logger, ConnectionId, _closeReason!.Message); // last, because a logger may throw
            return;
        }

        try
        {
            Socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer was faster, or the application has closed the socket that it was given.
        }

        Socket.Dispose();
        Log.ConnectionWriteFin(Logger, ConnectionId, _closeReason!.Message);
    }

    private void PartEnded()
    {
        if (Interlocked.Decrement(ref _parts) == 0) // a full fence: pairs with that in DisposeAsync, one of the two sees the other
        {
            Volatile.Read(ref _ended)?.TrySetResult();
        }
    }

    private void OnReady(EventLoopReadiness ready)
    {
        // After an error or a hang-up, reads and writes return at once and tell the reason.
        const EventLoopReadiness Broken = EventLoopReadiness.Hangup | EventLoopReadiness.Error;
        if ((ready & (EventLoopReadiness.Write | Broken)) != 0)
        {
            OnWritable();
        }

        if ((ready & (EventLoopReadiness.Read | EventLoopReadiness.PeerClosed | EventLoopReadiness.Urgent | Broken)) != 0)
        {
            OnReadable((ready & (EventLoopReadiness.PeerClosed | Broken)) != 0, (ready & EventLoopReadiness.Urgent) != 0);
        }

        if ((ready & Broken) != 0 && _hasClientEnded)
        {
            TellClosed(); // the client does not wait for responses any more
        }
    }

    /// <summary>Called when the application reads: TLS may have agreed on HTTP/2 meanwhile.</summary>
    private void CheckAgreement()
    {
        if (_application is ConnectionScheduler scheduler
            && _features?.Get<ISslStreamFeature>()?.SslStream is { IsAuthenticated: true } tls
            && tls.NegotiatedApplicationProtocol == SslApplicationProtocol.Http2)
        {
            scheduler.MoveToRuntimePool();
        }
    }

    /// <summary>Called on the loop after the last bytes: the client sends no more. Kestrel takes <see cref="ConnectionClosed"/> for a disconnection,
    /// and drops requests that it has not read. So the token is cancelled when the application has read everything, or has read nothing for a second:
    /// then it waits, perhaps for this client.</summary>
    private void ClientEnded()
    {
        Volatile.Write(ref _hasClientEnded, true);
        Interlocked.MemoryBarrier(); // pairs with the one in HasRead: one of the two sees the write of the other
        if (_reader.HasReadAll)
        {
            TellClosed();
            return;
        }

        try
        {
            _readsSeen = _reader.Count;
            _endTimer = new EventLoopTimer(_loop.Loop, static connection => ((LoopConnection)connection!).CheckReads(), this);
            _endTimer.Arm(s_patience);
        }
        catch (ObjectDisposedException)
        {
            TellClosed(); // the loop has ended
        }
    }

    private void CheckReads()
    {
        if (Volatile.Read(ref _isTold) == 0 && _readsSeen != _reader.Count)
        {
            _readsSeen = _reader.Count;
            _endTimer!.Arm(s_patience);
            return;
        }

        TellClosed();
        _endTimer!.Dispose();
    }

    /// <summary>Called after each read: it may have been the last.</summary>
    private void HasRead()
    {
        Interlocked.MemoryBarrier(); // pairs with the one in ClientEnded
        if (Volatile.Read(ref _hasClientEnded) && _reader.HasReadAll)
        {
            TellClosed();
        }
    }

    /// <summary>Cancels the token once, where the application runs: its callbacks belong to the application, and come after the bytes.</summary>
    private void TellClosed()
    {
        if (Interlocked.Exchange(ref _isTold, 1) == 0)
        {
            _application.Schedule(static connection => ((LoopConnection)connection!).CancelToken(), this);
        }
    }

    private void CancelToken()
    {
        try
        {
            _closed.Cancel();
        }
        catch (AggregateException exception)
        {
            Log.ClosedCallbackFailed(Logger, ConnectionId, exception);
        }
        finally
        {
            PartEnded();
        }
    }
}
