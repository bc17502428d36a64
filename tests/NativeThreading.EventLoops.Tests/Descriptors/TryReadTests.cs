using System.Net.Sockets;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Reading: what there is, nothing yet, the end, a failure.</summary>
public sealed class TryReadTests : CallTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly byte[] _buffer = new byte[100];
    private readonly EventLoopRegistration _registration;

    public TryReadTests() => _registration = Register(_pair.Here);

    protected override void Release() => _pair.Dispose();

    [Fact]
    public void NothingYet_IsFalse() => Assert.Equal((false, 0), Read());

    [Fact]
    public void WhatThereIs_AndThenNothing()
    {
        _pair.There.Write(Pattern(150));
        Assert.Equal((true, 100), Read());
        Assert.Equal(Pattern(100), _buffer);
        Assert.Equal((true, 50), Read());
        Assert.Equal(Pattern(50, 100), _buffer[..50]);
        Assert.Equal((false, 0), Read());
    }

    [Fact]
    public void End_IsNoBytes_AgainAndAgain()
    {
        _pair.There.Write(1);
        _pair.There.Dispose();
        Assert.Equal((true, 1), Read());
        Assert.Equal((true, 0), Read());
        Assert.Equal((true, 0), Read());
    }

    [Fact]
    public void Reset_IsAnIOExceptionWithErrno()
    {
        (Socket here, Socket there) = Pair.OfTcp();
        using (here)
        {
            EventLoopRegistration registration = Register(here.SafeHandle);
            there.LingerState = new LingerOption(true, 0);
            there.Dispose();

            IOException failure = Fails(() => registration.TryRead(_buffer, out _));

            Assert.Equal(Libc.EConnReset, failure.HResult);
            Assert.Contains("errno 104", failure.Message, StringComparison.Ordinal);
            Assert.Contains("reset", failure.Message, StringComparison.OrdinalIgnoreCase);
            OnLoop(registration.Dispose);
        }
    }

    [Fact]
    public void EmptyBuffer_IsRefused() =>
        Assert.Equal("buffer", OnLoop(() => Assert.Throws<ArgumentException>(() => _registration.TryRead([], out _))).ParamName);

    [Fact]
    public void Pipe_CanBeRead()
    {
        using var pipe = Pair.OfPipeToRead();
        EventLoopRegistration registration = Register(pipe.Here);
        pipe.There.Write(5, 6);
        (bool, int, byte) read = OnLoop(() => (registration.TryRead(_buffer, out int count), count, _buffer[1]));
        Assert.Equal((true, 2, 6), read);
        OnLoop(registration.Dispose);
    }

    private (bool Read, int Count) Read() => OnLoop(() => (_registration.TryRead(_buffer, out int count), count));
}
