using System.Net;
using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Socket for setting up and taking down, the loop for what is in between.</summary>
public sealed class SocketBesideRegistrationTests : DescriptorTest
{
    [Fact]
    public void SocketSetsUp_TheLoopCarries_SocketTakesDown()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (there)
        {
            var told = new Told();
            EventLoopRegistration registration = Watch(here.SafeHandle, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, told);
            byte[] buffer = new byte[100];
            for (byte i = 1; i <= 10; i++)
            {
                there.Send([i]);
                Assert.Equal(EventLoopReadiness.Read, told.Next());
                OnLoop(() =>
                {
                    Assert.True(registration.TryRead(buffer, out int count));
                    Assert.True(registration.TryWrite(buffer.AsSpan(0, count), out _));
                });
                Assert.Equal((1, i), (there.Receive(buffer), buffer[0]));
            }

            here.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true); // still the socket's own
            Assert.Equal(there.LocalEndPoint, here.RemoteEndPoint);
            OnLoop(registration.Dispose);
            here.Dispose();
            Assert.Equal(0, there.Receive(buffer));
        }
    }

    [Fact]
    public void SocketThatConnectsAsynchronously_CanBeRegisteredAfterwards()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Deadline.Wait(client.ConnectAsync(listener.LocalEndPoint!)); // the runtime's own watch of it is in the past now
        using Socket accepted = Deadline.Result(listener.AcceptAsync());
        var told = new Told();
        EventLoopRegistration registration = Watch(client.SafeHandle, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, told);

        accepted.Send([1]);

        Assert.Equal(EventLoopReadiness.Read, told.Next());
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void SocketDisposedWhileRegistered_WaitsForTheRegistration()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (there)
        {
            var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            EventLoopRegistration? registration = null;
            OnLoop(() => registration = Loop.Register(
                here.SafeHandle,
                EventLoopInterest.Read | EventLoopInterest.EdgeTriggered,
                (ready, _) =>
                {
                    Assert.NotEqual(EventLoopReadiness.None, ready & (EventLoopReadiness.Hangup | EventLoopReadiness.PeerClosed | EventLoopReadiness.Error));
                    registration!.Dispose();
                    ended.TrySetResult();
                },
                null));

            StartGate.Run(1, _ => here.Dispose()); // disconnects, and then waits until no thread holds the handle

            Deadline.Wait(ended.Task);
            Assert.True(here.SafeHandle.IsClosed);
        }
    }
}
