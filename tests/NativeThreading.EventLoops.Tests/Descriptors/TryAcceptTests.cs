using System.Net;
using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Accepting connections of a listening socket.</summary>
public sealed class TryAcceptTests : CallTest
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly EventLoopRegistration _registration;

    public TryAcceptTests()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        _listener.Blocking = false;
        _registration = Register(_listener.SafeHandle);
    }

    protected override void Release() => _listener.Dispose();

    [Fact]
    public void NoneWaiting_IsFalse()
    {
        (bool accepted, SafeSocketHandle? connection) = OnLoop(() => (_registration.TryAccept(out SafeSocketHandle? one), one));
        Assert.False(accepted);
        Assert.Null(connection);
    }

    [Fact]
    public void Connection_CanBeRegistered_AndUsedBySocket()
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(_listener.LocalEndPoint!);
        SafeSocketHandle? connection = null;
        Deadline.Until(() => OnLoop(() => _registration.TryAccept(out connection)));

        using var socket = new Socket(connection!);
        Assert.Equal(client.LocalEndPoint, socket.RemoteEndPoint);
        socket.NoDelay = true;
        var told = new Told();
        EventLoopRegistration registration = Watch(connection!, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, told);
        byte[] buffer = new byte[10];
        Assert.False(OnLoop(() => registration.TryRead(buffer, out _))); // non-blocking
        client.Send([1, 2, 3]);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        OnLoop(() =>
        {
            Assert.True(registration.TryRead(buffer, out int count));
            Assert.True(registration.TryWrite(buffer.AsSpan(0, count), out int written));
            Assert.Equal((3, 3), (count, written));
            registration.Dispose();
        });
        Assert.Equal(3, client.Receive(buffer));
        Assert.Equal([1, 2, 3], buffer[..3]);
    }

    [Fact]
    public void AllThatWait_AreAcceptedOneByOne()
    {
        const int count = 20;
        Socket[] clients = [.. Enumerable.Range(0, count).Select(_ => new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))];
        Array.ForEach(clients, client => client.Connect(_listener.LocalEndPoint!));
        var accepted = new List<SafeSocketHandle>();
        Deadline.Until(() => OnLoop(() =>
        {
            while (_registration.TryAccept(out SafeSocketHandle? connection))
            {
                accepted.Add(connection!);
            }

            return accepted.Count == count;
        }));

        Assert.False(OnLoop(() => _registration.TryAccept(out _)));
        Assert.All(accepted, connection => Assert.False(connection.IsInvalid));
        accepted.ForEach(connection => connection.Dispose());
        Array.ForEach(clients, client => client.Dispose());
    }

    [Fact]
    public void Peer_IsTold()
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(_listener.LocalEndPoint!);
        var peer = new SocketAddress(AddressFamily.InterNetworkV6); // more room than the address needs
        SafeSocketHandle? connection = null;
        Deadline.Until(() => OnLoop(() => _registration.TryAccept(peer, out connection)));
        connection!.Dispose();
        Assert.Equal(AddressFamily.InterNetwork, peer.Family);
        Assert.Equal(client.LocalEndPoint, new IPEndPoint(0, 0).Create(peer));
        Assert.False(OnLoop(() => _registration.TryAccept(peer, out _)));
        Assert.Equal(client.LocalEndPoint, new IPEndPoint(0, 0).Create(peer)); // as it was
    }

    [Fact]
    public void Peer_WithoutRoom_IsAnArgumentException_AndTheConnectionIsClosed()
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(_listener.LocalEndPoint!);
        var peer = new SocketAddress(AddressFamily.InterNetwork, 8);
        Deadline.Until(() => OnLoop(() => Record.Exception(() => _registration.TryAccept(peer, out _))) is ArgumentException { ParamName: "peer" });
        Assert.Throws<SocketException>(() => client.Receive(new byte[1])); // reset
        Assert.Throws<ArgumentNullException>("peer", () => _registration.TryAccept(null!, out _));
    }

    [Fact]
    public void NotASocket_IsAnIOException()
    {
        using var pipe = Pair.OfPipeToRead();
        EventLoopRegistration registration = Register(pipe.Here);
        Assert.Equal(Libc.ENotSock, Fails(() => registration.TryAccept(out _)).HResult);
        Assert.Equal(Libc.ENotSock, Fails(() => registration.TryAccept(new SocketAddress(AddressFamily.InterNetwork), out _)).HResult);
        OnLoop(registration.Dispose);
    }
}
