using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

/// <summary>One endpoint. One loop accepts its connections, and all loops take them in turn.</summary>
internal sealed class LoopListener : IConnectionListener
{
    private const int AcceptsInTurn = 64, MostUntaken = 1024, MostWaiting = ushort.MaxValue;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly LoopTransport _transport;
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

    public LoopListener(LoopTransport transport, Socket socket, int backlog)
    {
        (_transport, _socket, _backlog) = (transport, socket, Math.Min(backlog, MostWaiting));
        _own = transport.NextLoop();
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
        static (_, listener) => ((LoopListener)listener!).TryAccept(AcceptsInTurn, MostUntaken),
        this));

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return await _accepted.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            return null;
        }
    }

    /// <summary>First accepts the connections that the system holds: their peers believe that they are connected.</summary>
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
                Close(); // the loop has ended with its registrations
            }
        }
    }

    /// <summary>Connections that Kestrel has taken live on. All others are reset.</summary>
    public async ValueTask DisposeAsync()
    {
        await UnbindAsync().ConfigureAwait(false);
        await foreach (LoopConnection connection in _accepted.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            connection.Abort();
            await connection.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <returns>Whether it is closed; otherwise another thread has taken the loop over meanwhile.</returns>
    private bool TryCloseOnLoop()
    {
        if (_registration is not null && !TryAccept(_backlog + 1, int.MaxValue)) // no more, or clients that connect all the time would keep it open
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
        Volatile.Write(ref _registration, null); // before the count: a thread that counts to zero afterwards sees it
        CountHandOver(0);
    }

    /// <returns>False if another thread has taken the loop over. It gets the event again.</returns>
    private bool TryAccept(int most, int mostUntaken)
    {
        for (int i = 0; i < most; i++)
        {
            if (_accepted.Reader.Count >= mostUntaken)
            {
                Pause(); // the server is late: further connections wait in the system's backlog
                return true;
            }

            try
            {
                if (!(_peer is null ? _registration!.TryAccept(out SafeSocketHandle? handle) : _registration!.TryAccept(_peer, out handle)))
                {
                    return true;
                }

                _isFailing = false;
                Adopt(handle!);
            }
            catch (IOException exception) when (SocketFailure.IsOfOneConnection(exception))
            {
                // The peer was faster.
            }
            catch (IOException exception)
            {
                Fail(exception);
                return true;
            }
            catch (Exception exception) when (_own.WasTakenOver(exception))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The descriptors are used up, most likely. The listener stays ready, and an immediate retry would only burn CPU.</summary>
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
        LoopScheduler loop = _transport.NextLoop();
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

        CountHandOver(1);
        if (loop.Loop.IsInLoop)
        {
            HandOver(connection);
        }
        else
        {
            loop.Schedule(
                static state =>
                {
                    (LoopListener listener, LoopConnection connection) = ((LoopListener, LoopConnection))state!;
                    listener.HandOver(connection);
                },
                (this, connection));
        }
    }

    private void HandOver(LoopConnection connection)
    {
        try
        {
            connection.Open();
            _accepted.Writer.TryWrite(connection); // the channel is completed only after the last hand-over
        }
        catch (Exception exception)
        {
            connection.Socket.Close(0);
            Log.AcceptFailed(_transport.Logger, EndPoint, exception); // the system watches no more descriptors, or the loop has ended
        }
        finally
        {
            CountHandOver(-1);
        }
    }

    /// <summary>Counts the connections on their way to their loops, and completes the channel after the last one.</summary>
    private void CountHandOver(int change)
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
}
