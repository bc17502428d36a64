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

/// <summary>
/// One connection. Its loop reads and says when the socket may be written; the application lives on the other side of two pipes.
/// The first that wants it closed decides how. Only the loop closes the socket, after its registration.
/// </summary>
internal sealed class LoopConnection : ConnectionContext, IConnectionSocketFeature, IMemoryPoolFeature, IDuplexPipe,
    IConnectionIdFeature, IConnectionItemsFeature, IConnectionTransportFeature, IConnectionLifetimeFeature, IConnectionEndPointFeature
{
    private const int Parts = 4; // receiver, sender, the socket, the token's callbacks

    private static long s_lastId = Random.Shared.NextInt64(); // so that names of two runs differ in a log

    private readonly TransportContext _transport;
    private readonly LoopScheduler _scheduler;
    private readonly PipeScheduler _application;
    private readonly LoopReceiver _receiver;
    private readonly LoopSender _sender;
    private readonly CancellationTokenSource _closed = new();
    private readonly EnteringReader _input;
    private readonly PipeWriter _output;
    private EventLoopRegistration? _registration;
    private TaskCompletionSource? _ended; // of whoever waits for the last part
    private ConnectionFeatures? _features;
    private Exception? _closeReason;
    private int _isClosing, _isTold, _parts = Parts;
    private bool _hasClientEnded;

    public LoopConnection(TransportContext transport, LoopScheduler scheduler, Socket socket, EndPoint? local, EndPoint? remote)
    {
        _transport = transport;
        _scheduler = scheduler;
        Socket = socket;
        LocalEndPoint = local;
        RemoteEndPoint = remote;
        LoopPipes pipes = transport.Of(scheduler, this);
        _application = pipes.Application;
        var input = new Pipe(pipes.Input);
        var output = new Pipe(pipes.Output);
        _receiver = new LoopReceiver(this, input.Writer, transport.Memory, scheduler.HandsOver);
        _sender = new LoopSender(this, output.Reader);
        _input = new EnteringReader(input.Reader, pipes.Input.ReaderScheduler, this, transport.EntersApplication, pipes.Input.ReaderScheduler as NextRequest);
        PoolReads = pipes.Input.ReaderScheduler as PoolReads;
        _output = output.Writer;
        Transport = this;
        ConnectionClosed = _closed.Token;
    }

    public ILogger Logger => _transport.Logger;

    public EventLoop Loop => _scheduler.Loop;

    /// <summary>Null until <see cref="Open"/> has made it, and for a moment longer where the loop was taken over meanwhile.</summary>
    public EventLoopRegistration? Registration => Volatile.Read(ref _registration); // pairs with the write in Open

    public Socket Socket { get; }

    /// <summary>Whether the application waits for its next turn, with something left to read.</summary>
    public bool IsBehind => _input.IsBehind;

    /// <summary>Whether the application runs on the loop, which others wait for, too.</summary>
    public bool SharesLoop => _scheduler.HandsOver;

    /// <summary>Schedules the connection's reads, if the application runs on a named pool.</summary>
    public PoolReads? PoolReads { get; }

    /// <summary>How often something was received.</summary>
    public int Received => _receiver.Received;

    /// <summary>How often the application has read something.</summary>
    public int Reads => _input.Reads;

    /// <summary>Whether the callbacks of <see cref="ConnectionClosed"/> are on their way.</summary>
    public bool IsTold => Volatile.Read(ref _isTold) != 0;

    /// <summary>What the application reads where it was not the peer that ended the connection.</summary>
    public Exception? CloseReason => Volatile.Read(ref _closeReason);

    public override string ConnectionId { get => field ??= Interlocked.Increment(ref s_lastId).ToString("X16", null); set; }

    public override IFeatureCollection Features => _features ??= new ConnectionFeatures(this);

    public override IDictionary<object, object?> Items { get => field ??= new ConnectionItems(); set; }

    public override IDuplexPipe Transport { get; set; }

    public override CancellationToken ConnectionClosed { get; set; }

    public override EndPoint? LocalEndPoint { get; set; }

    public override EndPoint? RemoteEndPoint { get; set; }

    System.Buffers.MemoryPool<byte> IMemoryPoolFeature.MemoryPool => _transport.Memory;

    PipeReader IDuplexPipe.Input => _input;

    PipeWriter IDuplexPipe.Output => _output;

    /// <summary>
    /// On the loop, before anybody knows the connection. Where it throws, the socket is not watched. Where another thread takes the loop over
    /// meanwhile, that one may call the handler before the registration is known here.
    /// </summary>
    public void Open()
    {
        EventLoopRegistration registration = Loop.UnsafeRegister(
            Socket.SafeHandle,
            EventLoopInterest.Read | EventLoopInterest.Write | EventLoopInterest.EdgeTriggered,
            static (ready, connection) => ((LoopConnection)connection!).OnReady(ready),
            this);
        Volatile.Write(ref _registration, registration);
        _transport.Open.Add(1);
        _sender.Start();
    }

    public override void Abort() => Abort(new ConnectionAbortedException("The connection was aborted by the application."));

    /// <summary>Kestrel passes null after the peer's FIN, and expects a FIN behind what it has flushed.</summary>
    public override void Abort(ConnectionAbortedException? abortReason)
    {
        if (abortReason is null)
        {
            _sender.Finish(_scheduler);
        }
        else
        {
            Close(abortReason);
            _sender.Cancel();
        }
    }

    /// <summary>From any thread. The first call decides.</summary>
    /// <param name="reason">Null: in an orderly way, what was sent arrives. Else the peer reads a reset.</param>
    public void Close(Exception? reason)
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0)
        {
            return;
        }

        // Before the socket is closed: who then fails to read or write is told why.
        Volatile.Write(ref _closeReason, reason ?? new ConnectionAbortedException("This side closed the connection gracefully."));
        _scheduler.Schedule(static call => ((CloseCall)call!).Run(), new CloseCall(this, isAbort: reason is not null));
    }

    /// <summary>Goes on with a callback on the loop, when it has looked at all others.</summary>
    public void AfterPoll(Action<object?> callback, object? state)
    {
        try
        {
            Loop.UnsafePostAfterPoll(callback, state);
        }
        catch (ObjectDisposedException)
        {
            _scheduler.Schedule(callback, state);
        }
    }

    /// <summary>On the loop, before the application can see the first bytes.</summary>
    public void Begins(ReadOnlySpan<byte> bytes)
    {
        if (_application is ConnectionScheduler scheduler && Http2.Begins(bytes))
        {
            scheduler.MoveToRuntimePool();
        }
    }

    /// <summary>Where the application reads: maybe TLS has agreed on HTTP/2 meanwhile.</summary>
    public void LookForAgreement()
    {
        if (_application is ConnectionScheduler scheduler
            && _features?.Get<ISslStreamFeature>()?.SslStream is { IsAuthenticated: true } tls
            && tls.NegotiatedApplicationProtocol == SslApplicationProtocol.Http2)
        {
            scheduler.MoveToRuntimePool();
        }
    }

    public void HasFailed(Exception error)
    {
        if (error is ConnectionResetException)
        {
            Log.ConnectionReset(Logger, ConnectionId, error);
        }
        else
        {
            Log.ConnectionFailed(Logger, ConnectionId, error);
        }
    }

    /// <summary>Once, where the application runs, because callbacks are its own, and behind what it has received.</summary>
    public void TellClosed()
    {
        if (Interlocked.Exchange(ref _isTold, 1) == 0)
        {
            _application.Schedule(static connection => ((LoopConnection)connection!).CancelToken(), this);
        }
    }

    /// <summary>
    /// On the loop, behind the last bytes: the client sends no more. Kestrel takes that for its departure, and drops requests that it has not
    /// read. So it is told when it has read all.
    /// </summary>
    public void ClientEnded()
    {
        Volatile.Write(ref _hasClientEnded, true);
        Interlocked.MemoryBarrier(); // pairs with the one in HasRead: one of the two sees what the other has written
        if (_input.HasReadAll)
        {
            TellClosed();
        }
        else
        {
            LateEnd.Await(this);
        }
    }

    /// <summary>By whoever reads: it may have read all.</summary>
    public void HasRead()
    {
        Interlocked.MemoryBarrier(); // pairs with the one in ClientEnded
        if (Volatile.Read(ref _hasClientEnded) && _input.HasReadAll)
        {
            TellClosed();
        }
    }

    /// <summary>For a debugger and for tests that fail: what each direction waits for. Another thread may change it meanwhile.</summary>
    public override string ToString() => $"{ConnectionId} on {Loop}: {_receiver}, {_sender}";

    public void PartEnded()
    {
        if (Interlocked.Decrement(ref _parts) == 0) // a full fence: pairs with that in AllEnded, one of the two sees the other
        {
            Volatile.Read(ref _ended)?.TrySetResult();
        }
    }

    public override async ValueTask DisposeAsync()
    {
        // The application's ends of the pipes, whatever it put in their place.
        await _input.CompleteAsync().ConfigureAwait(false);
        await _output.CompleteAsync().ConfigureAwait(false);
        await AllEnded().ConfigureAwait(false);
        _closed.Dispose();
        if (Registration is not null)
        {
            _transport.Open.Add(-1);
        }

        await base.DisposeAsync().ConfigureAwait(false);
    }

    private Task AllEnded()
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ended = Interlocked.CompareExchange(ref _ended, ended, null) ?? ended; // a full fence
        if (Volatile.Read(ref _parts) == 0)
        {
            ended.TrySetResult();
        }

        return ended.Task;
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

    private void OnReady(EventLoopReadiness ready)
    {
        // After an error or a hang-up both calls return at once and say what happened.
        const EventLoopReadiness Broken = EventLoopReadiness.Hangup | EventLoopReadiness.Error;
        if ((ready & (EventLoopReadiness.Write | Broken)) != 0)
        {
            _sender.OnWritable();
        }

        if ((ready & (EventLoopReadiness.Read | EventLoopReadiness.PeerClosed | EventLoopReadiness.Urgent | Broken)) != 0)
        {
            _receiver.OnReadable((ready & (EventLoopReadiness.PeerClosed | Broken)) != 0, (ready & EventLoopReadiness.Urgent) != 0);
        }

        if ((ready & Broken) != 0 && _hasClientEnded)
        {
            TellClosed(); // nobody waits for answers any more
        }
    }

    private void CloseOnLoop(bool isAbort)
    {
        try
        {
            _receiver.Stop(() =>
            {
                Registration?.Dispose(); // before the socket, whose disposal waits for whoever holds its handle
                CloseSocket(isAbort);
            });
        }
        finally
        {
            if (_hasClientEnded)
            {
                TellClosed();
            }

            _sender.OnWritable(); // it may wait for an edge that will not come
            _sender.Cancel();
            PartEnded();
        }
    }

    /// <summary>The kernel sends what it has taken, and then a FIN; or, for an abort or where something is left unread, a reset.</summary>
    private void CloseSocket(bool isAbort)
    {
        if (isAbort)
        {
            Socket.Close(0);
            Log.ConnectionWriteRst(Logger, ConnectionId, CloseReason!.Message); // last, because a logger may throw
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
        Log.ConnectionWriteFin(Logger, ConnectionId, CloseReason!.Message);
    }

    private sealed class CloseCall(LoopConnection connection, bool isAbort)
    {
        public void Run() => connection.CloseOnLoop(isAbort);
    }
}
