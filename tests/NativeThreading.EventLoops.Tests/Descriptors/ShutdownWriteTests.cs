using System.Net.Sockets;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Half-close: the peer sees the end, and can still answer.</summary>
public sealed class ShutdownWriteTests : CallTest
{
    [Fact]
    public void Peer_SeesTheEnd_AndItsAnswerArrives()
    {
        using var pair = Pair.OfSockets();
        EventLoopRegistration registration = Register(pair.Here);
        OnLoop(() =>
        {
            registration.TryWrite([1, 2], out _);
            registration.ShutdownWrite();
        });

        byte[] buffer = new byte[10];
        Assert.Equal(2, Libc.Read(pair.There.Number, buffer));
        Assert.Equal(0, Libc.Read(pair.There.Number, buffer)); // the end
        pair.There.Write(9);
        Assert.Equal((true, 1, 9), OnLoop(() => (registration.TryRead(buffer, out int count), count, (int)buffer[0])));
        Assert.Equal(Libc.EPipe, Fails(() => registration.TryWrite(new byte[1], out _)).HResult);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void NotConnected_IsAnIOException()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        EventLoopRegistration registration = Register(socket.SafeHandle);
        Assert.Equal(Libc.ENotConn, Fails(registration.ShutdownWrite).HResult);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void NotASocket_IsAnIOException()
    {
        using var pipe = Pair.OfPipeToWrite();
        EventLoopRegistration registration = Register(pipe.Here);
        Assert.Equal(Libc.ENotSock, Fails(registration.ShutdownWrite).HResult);
        OnLoop(registration.Dispose);
    }
}
