using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Calls whose failures are results.</summary>
public sealed class IOResultTests : CallTest
{
    [Fact]
    public void Read_TellsBytes_ThatItWouldBlock_AndTheEnd()
    {
        using var pair = Pair.OfSockets();
        EventLoopRegistration registration = Register(pair.Here);
        byte[] buffer = new byte[10];
        EventLoopIOResult nothing = OnLoop(() => registration.Read(buffer));
        Assert.Equal((0, true, false, false), (nothing.Count, nothing.WouldBlock, nothing.IsSuccess, nothing.IsDisconnected));
        nothing.ThrowIfFailed();

        pair.There.Write([1, 2, 3]);
        EventLoopIOResult some = OnLoop(() => registration.Read(buffer));
        Assert.Equal((3, true, false, 0), (some.Count, some.IsSuccess, some.WouldBlock, some.ErrorNumber));
        Assert.Equal([1, 2, 3], buffer[..3]);

        pair.There.Dispose();
        EventLoopIOResult end = OnLoop(() => registration.Read(buffer));
        Assert.Equal((0, true), (end.Count, end.IsSuccess));
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void Write_ToAPeerThatHasGone_IsDisconnected()
    {
        using var pair = Pair.OfSockets();
        EventLoopRegistration registration = Register(pair.Here);
        Assert.Equal(2, OnLoop(() => registration.Write([1, 2])).Count);
        Assert.Equal(3, OnLoop(() => registration.Write(Segments.Of([3, 4, 5], 2))).Count);
        Assert.Equal([1, 2, 3, 4, 5], pair.There.ReadAll());
        pair.There.Dispose();
        EventLoopIOResult gone = OnLoop(() => registration.Write([1]));
        Assert.Equal((Libc.EPipe, true, false), (gone.ErrorNumber, gone.IsDisconnected, gone.IsSuccess));
        IOException thrown = Assert.Throws<IOException>(gone.ThrowIfFailed);
        Assert.Equal(Libc.EPipe, thrown.HResult);
        Assert.Contains("nth_io_writev", thrown.Message, StringComparison.Ordinal);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void Read_WithoutRoom_IsRefused()
    {
        using var pair = Pair.OfSockets();
        EventLoopRegistration registration = Register(pair.Here);
        OnLoop(() => Assert.Throws<ArgumentException>("buffer", () => registration.Read(Span<byte>.Empty)));
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void Results_AreComparedByWhatTheySay()
    {
        using var pair = Pair.OfSockets();
        EventLoopRegistration registration = Register(pair.Here);
        EventLoopIOResult one = OnLoop(() => registration.Write([1])), other = OnLoop(() => registration.Write([2]));
        EventLoopIOResult two = OnLoop(() => registration.Write([1, 2]));
        Assert.True(one == other && one.Equals((object)other) && one.GetHashCode() == other.GetHashCode());
        Assert.True(one != two && !one.Equals(null));
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void Reset_ByThePeer_IsDisconnected()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        EventLoopRegistration registration = Register(here.SafeHandle);
        there.Close(0);
        EventLoopIOResult result = default;
        Deadline.Until(() => !(result = OnLoop(() => registration.Read(new byte[1]))).WouldBlock);
        Assert.True(result.IsDisconnected, $"errno {result.ErrorNumber}");
        OnLoop(registration.Dispose);
        here.Dispose();
    }

    [Fact]
    public void UnsafeRegister_CallsWithoutTheContext()
    {
        using var pair = Pair.OfSockets();
        var local = new AsyncLocal<int> { Value = 7 };
        using var told = new CountdownEvent(2);
        int with = -1, without = -1;
        void Handle(EventLoopReadiness ready, object? flows)
        {
            _ = (bool)flows! ? with = local.Value : without = local.Value;
            told.Signal();
        }

        using var other = Pair.OfSockets();
        EventLoopRegistration flowing = Loop.Register(pair.Here, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, Handle, true);
        EventLoopRegistration plain = Loop.UnsafeRegister(other.Here, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, Handle, false);
        pair.There.Write([1]);
        other.There.Write([1]);
        Deadline.Wait(told);
        Assert.Equal((7, 0), (with, without));
        Assert.Throws<ArgumentNullException>("handle", () => Loop.UnsafeRegister(null!, EventLoopInterest.Read, Handle, null));
        Assert.Throws<ArgumentNullException>("handler", () => Loop.UnsafeRegister(other.Here, EventLoopInterest.Read, null!, null));
        OnLoop(flowing.Dispose);
        OnLoop(plain.Dispose);
    }
}
