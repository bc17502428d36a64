using System.Net;
using System.Net.Sockets;
using static NativeThreading.EventLoops.EventLoopReadiness;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>The exact ready set that a handler gets, for each kind of descriptor.</summary>
public sealed class ReadinessTests : DescriptorTest
{
    private const EventLoopInterest Both = EventLoopInterest.Read | EventLoopInterest.Write;

    [Fact]
    public void Pipe_WithSomethingInIt() =>
        Expect(Read, Pair.OfPipeToRead(), EventLoopInterest.Read, pair => pair.There.Write(1));

    [Fact]
    public void Pipe_WithRoom() =>
        Expect(Write, Pair.OfPipeToWrite(), EventLoopInterest.Write, static _ => { });

    [Fact]
    public void Pipe_WhoseWriterHasGone() =>
        Expect(Hangup, Pair.OfPipeToRead(), EventLoopInterest.Read, pair => pair.There.Dispose());

    [Fact]
    public void Pipe_WhoseWriterHasLeftSomethingAndGone() =>
        Expect(Read | Hangup, Pair.OfPipeToRead(), EventLoopInterest.Read, pair =>
        {
            pair.There.Write(1);
            pair.There.Dispose();
        });

    [Fact]
    public void Pipe_WhoseReaderHasGone() =>
        Expect(Write | Error, Pair.OfPipeToWrite(), EventLoopInterest.Write, pair => pair.There.Dispose());

    [Theory]
    [InlineData(EventLoopInterest.Read, Read)]
    [InlineData(EventLoopInterest.Write, Write)]
    [InlineData(Both, Read | Write)]
    public void Socket_IsToldOfWhatWasAskedFor(EventLoopInterest interest, EventLoopReadiness expected) =>
        Expect(expected, Pair.OfSockets(), interest, pair => pair.There.Write(1));

    [Fact]
    public void Socket_WhosePeerWritesNoMore()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (here)
        using (there)
        {
            Expect(Read | PeerClosed, here.SafeHandle, EventLoopInterest.Read, () => there.Shutdown(SocketShutdown.Send));
        }
    }

    [Fact]
    public void Socket_WhosePeerWritesNoMore_IsNotToldWithoutInterestInReading()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (here)
        using (there)
        {
            there.Shutdown(SocketShutdown.Send);
            Expect(Write, here.SafeHandle, EventLoopInterest.Write, static () => { });
        }
    }

    [Fact]
    public void Socket_WhosePeerHasGone() =>
        Expect(Read | PeerClosed | Hangup, Pair.OfSockets(), EventLoopInterest.Read, pair => pair.There.Dispose());

    [Fact]
    public void Socket_WhosePeerHasGone_IsToldWhateverIsAskedFor() =>
        Expect(Hangup, Pair.OfSockets(), EventLoopInterest.None, pair => pair.There.Dispose());

    [Fact]
    public void Socket_ThatWasReset()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (here)
        {
            Expect(Read | PeerClosed | Hangup | Error, here.SafeHandle, EventLoopInterest.Read, () =>
            {
                there.LingerState = new LingerOption(true, 0);
                there.Dispose();
            });
        }
    }

    [Theory]
    [InlineData(EventLoopInterest.Read, Read)]
    [InlineData(EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, Read | Urgent)]
    [InlineData(EventLoopInterest.None, None)]
    public void Socket_WithAnUrgentByte(EventLoopInterest interest, EventLoopReadiness expected)
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (here)
        using (there)
        {
            if (expected == None)
            {
                var told = new Told();
                using EventLoopRegistration registration = Watch(here.SafeHandle, interest, told);
                there.Send("ab"u8, SocketFlags.OutOfBand);
                AwaitLook();
                Assert.Equal(0, told.Count);
                OnLoop(registration.Dispose);
            }
            else
            {
                Expect(expected, here.SafeHandle, interest, () => there.Send("ab"u8, SocketFlags.OutOfBand));
            }
        }
    }

    [Fact]
    public void ListeningSocket_WithAConnection()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        Expect(Read, listener.SafeHandle, EventLoopInterest.Read, () => client.Connect(listener.LocalEndPoint!));
    }

    private void Expect(EventLoopReadiness expected, Pair pair, EventLoopInterest interest, Action<Pair> cause)
    {
        using (pair)
        {
            Expect(expected, pair.Here, interest, () => cause(pair));
        }
    }

    private void Expect(EventLoopReadiness expected, System.Runtime.InteropServices.SafeHandle handle, EventLoopInterest interest, Action cause)
    {
        var told = new Told();
        OnLoop(() =>
        {
            // On the loop, so that the cause is complete at its next look; then one telling is enough.
            EventLoopRegistration registration = Watch(handle, interest, told);
            told.Then = _ => registration.Dispose();
            cause();
        });
        Assert.Equal(expected, told.Next());
    }
}
