using System.Buffers;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Writing: all, a part, none at present, a failure; to sockets and to pipes.</summary>
public sealed class TryWriteTests : CallTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly EventLoopRegistration _registration;

    public TryWriteTests() => _registration = Register(_pair.Here);

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(10_000)]
    public void WhatIsTaken_Arrives(int length)
    {
        Assert.Equal((true, length), Write(Pattern(length)));
        Assert.Equal(Pattern(length), _pair.There.ReadAll());
    }

    [Fact]
    public void FullBuffer_TakesAPart_ThenNone_ThenAgain()
    {
        byte[] large = Pattern(4 * 1024 * 1024);
        (bool taken, int first) = Write(large);
        Assert.True(taken);
        Assert.InRange(first, 1, large.Length - 1);
        _pair.Here.Fill();
        Assert.Equal((false, 0), Write(large));

        Assert.Equal(large[..first], _pair.There.ReadAll()[..first]);

        Assert.True(Write([1]).Taken);
    }

    [Fact]
    public void PeerThatHasGone_IsAnIOException_NotASignal()
    {
        _pair.There.Dispose();
        Assert.Equal(Libc.EPipe, Fails(() => _registration.TryWrite(new byte[1], out _)).HResult);
        Assert.Equal(Libc.EPipe, Fails(() => _registration.TryWrite(Segments.Of(Pattern(4), 2), out _)).HResult);
    }

    [Fact]
    public void Pipe_CanBeWritten_InOnePieceOrSeveral()
    {
        using var pipe = Pair.OfPipeToWrite();
        EventLoopRegistration registration = Register(pipe.Here);
        OnLoop(() =>
        {
            Assert.True(registration.TryWrite(Pattern(100), out int count));
            Assert.True(registration.TryWrite(Segments.Of(Pattern(200, 100), 7), out long gathered));
            Assert.Equal((100, 200L), (count, gathered));
        });
        Assert.Equal(Pattern(300), pipe.There.ReadAll());

        pipe.There.Dispose();
        Assert.Equal(Libc.EPipe, Fails(() => registration.TryWrite(new byte[1], out _)).HResult);
        OnLoop(registration.Dispose);
    }

    [Fact]
    public void SequenceOfOneSegment_IsWrittenAsOneBuffer()
    {
        long count = OnLoop(() => _registration.TryWrite(new ReadOnlySequence<byte>(Pattern(10)), out long taken) ? taken : -1);
        Assert.Equal(10, count);
        Assert.Equal(Pattern(10), _pair.There.ReadAll());
    }

    private (bool Taken, int Count) Write(byte[] bytes) => OnLoop(() => (_registration.TryWrite(bytes, out int count), count));
}
