using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

/// <summary>One endpoint. A loop accepts, and all loops take connections in turn.</summary>
internal sealed class LoopListener : IConnectionListener
{
    private const int AcceptsInTurn = 64, MostUntaken = 1024, MostWaiting = ushort.MaxValue;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly LoopSchedulers _loops;
    private readonly TransportContext _transport;
    private readonly Socket _socket;
    private readonly int _backlog;
    private readonly LoopScheduler _own;
    private readonly bool _isIP, _isLocalKnown;
    private readonly SocketAddress? _peer;
    private readonly EventLoopTimer _again;
    private readonly Channel<LoopConnection> _accepted = Channel.CreateUnbounded<LoopConnection>(new() { SingleReader = false });
    private EventLoopRegistration? _registration;
    private bool _isFailing;
    private int _unbound, _handingOver;

    /// <param name="loops">Which carry the connections.</param>
    /// <param name="transport">What the connections share.</param>
    /// <param name="socket">Listens, and does not block.</param>
    /// <param name="backlog">How many connections the system may hold for it.</param>
    public LoopListener(LoopSchedulers loops, TransportContext transport, Socket socket, int backlog)
    {
        (_loops, _transport, _socket, _backlog) = (loops, transport, socket, Math.Min(backlog, MostWaiting));
        _own = loops.Next();
        EndPoint = socket.LocalEndPoint!;
        if (EndPoint is IPEndPoint ip)
        {
            _isIP = true;
            _isLocalKnown = !ip.Address.Equals(IPAddress.Any) && !ip.Address.Equals(IPAddress.IPv6Any);
            _peer = new SocketAddress(socket.AddressFamily, SocketAddress.GetMaximumAddressSize(socket.AddressFamily));
        }

        _again = new EventLoopTimer(_own.Loop, static listener => ((LoopListener)listener!).SetAccepting(true), this);
    }

    public EndPoint EndPoint { get; }

    /// <summary>From now on connections are accepted.</summary>
    public Task StartAsync() => _own.Loop.InvokeAsync(() => _registration = _own.Loop.UnsafeRegister(
        _socket.SafeHandle,
        EventLoopInterest.Read,
        static (_, listener) => ((LoopListener)listener!).Accept(AcceptsInTurn, MostUntaken),
        this));

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (await _accepted.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (_accepted.Reader.TryRead(out LoopConnection? connection))
            {
                return connection;
            }
        }

        return null;
    }

    /// <summary>What the system holds already is accepted first: its peers believe that they are connected.</summary>
    public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        if (Interlocked.Exchange(ref _unbound, 1) == 0)
        {
            try
            {
                while (!await _own.Loop.InvokeAsync(TryCloseOnLoop, CancellationToken.None).ConfigureAwait(false))
                {
                }
            }
            catch (Exception exception) when (exception is ObjectDisposedException or OperationCanceledException)
            {
                Close(); // the loop has gone, and its registrations with it
            }
        }
    }

    /// <summary>Connections that were taken live on. Those that nobody will take any more are reset.</summary>
    public async ValueTask DisposeAsync()
    {
        await UnbindAsync().ConfigureAwait(false);
        await foreach (LoopConnection connection in _accepted.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            connection.Abort();
            await connection.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <returns>Whether it is closed; else another thread has taken the loop over meanwhile.</returns>
    private bool TryCloseOnLoop()
    {
        try
        {
            if (_registration is not null)
            {
                Accept(_backlog + 1, int.MaxValue); // no more, or clients that come all the time would keep it open
            }
        }
        catch (Exception exception) when (Takeover.IsCauseOf(exception, _own.Loop))
        {
            return false;
        }

        Close();
        return true;
    }

    private void Close()
    {
        _again.Dispose();
        _registration?.Dispose();
        _socket.Dispose();
        Volatile.Write(ref _registration, null); // before the count: whoever counts to zero behind this sees it
        Handed(0);
    }

    private void Accept(int most, int mostUntaken)
    {
        for (int i = 0; i < most; i++)
        {
            if (_accepted.Reader.Count >= mostUntaken)
            {
                Pause(); // the server is behind: further ones wait in the system's backlog
                return;
            }

            try
            {
                if (!(_peer is null ? _registration!.TryAccept(out SafeSocketHandle? handle) : _registration!.TryAccept(_peer, out handle)))
                {
                    return;
                }

                _isFailing = false;
                Adopt(handle!);
            }
            catch (IOException exception) when (AcceptError.IsOfOneConnection(exception))
            {
                // The peer was faster.
            }
            catch (IOException exception)
            {
                Fail(exception);
                return;
            }
            catch (Exception exception) when (most == AcceptsInTurn && Takeover.IsCauseOf(exception, _own.Loop))
            {
                return; // the thread that has the loop now is told of the connections that are left
            }
        }
    }

    /// <summary>Out of descriptors, most likely. The listener stays ready, and asking again at once would only burn CPU.</summary>
    private void Fail(IOException exception)
    {
        Pause();
        if (!_isFailing)
        {
            _isFailing = true;
            Log.AcceptFailed(_transport.Logger, EndPoint, exception);
        }
    }

    private void Adopt(SafeSocketHandle handle)
    {
        LoopScheduler loop = _loops.Next();
        LoopConnection connection;
        Socket? socket = null;
        try
        {
            socket = new Socket(handle) { Blocking = false };
            connection = new LoopConnection(
                _transport,
                loop,
                socket,
                _isLocalKnown ? EndPoint : socket.LocalEndPoint,
                _isIP ? EndPoint.Create(_peer!) : socket.RemoteEndPoint);
        }
        catch (SocketException)
        {
            socket?.Dispose();
            handle.Dispose(); // the peer has gone already
            return;
        }

        Interlocked.Increment(ref _handingOver);
        if (loop.Loop.IsInLoop)
        {
            HandOver(connection);
        }
        else
        {
            loop.Schedule(static call => ((HandOverCall)call!).Run(), new HandOverCall(this, connection));
        }
    }

    private void HandOver(LoopConnection connection)
    {
        try
        {
            connection.Open();
            _accepted.Writer.TryWrite(connection); // it is complete only behind the last one that is handed over
        }
        catch (Exception exception)
        {
            connection.Socket.Close(0);
            Log.AcceptFailed(_transport.Logger, EndPoint, exception); // the system watches no more, or the loop has gone
        }
        finally
        {
            Handed(-1);
        }
    }

    /// <summary>Completes the channel behind the last connection that is on its way to its loop.</summary>
    private void Handed(int change)
    {
        if (Interlocked.Add(ref _handingOver, change) == 0 && Volatile.Read(ref _registration) is null && Volatile.Read(ref _unbound) != 0)
        {
            _accepted.Writer.TryComplete();
        }
    }

    private void Pause()
    {
        SetAccepting(false);
        _again.Arm(s_pause);
    }

    private void SetAccepting(bool accepting)
    {
        if (_registration is { } registration)
        {
            registration.Interest = accepting ? EventLoopInterest.Read : EventLoopInterest.None;
        }
    }

    private sealed class HandOverCall(LoopListener listener, LoopConnection connection)
    {
        public void Run() => listener.HandOver(connection);
    }
}
