using System.Buffers;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Telling, reading and writing allocate nothing on the loop's thread.</summary>
public sealed class DescriptorAllocationTests : CallTest
{
    private const int WarmUp = 200;
    private const int Measured = 20_000;

    private static readonly AsyncLocal<string?> s_local = new();

    private readonly Pair _pair = Pair.OfSockets();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(false, EventLoopInterest.Write)]
    [InlineData(true, EventLoopInterest.Write)]
    [InlineData(false, EventLoopInterest.Write | EventLoopInterest.EdgeTriggered)]
    public void Telling(bool withAsyncLocal, EventLoopInterest interest)
    {
        s_local.Value = withAsyncLocal ? "set" : null;
        using var done = new ManualResetEventSlim();
        EventLoopRegistration? registration = null;
        long allocated = 0;
        int told = 0;
        Action<EventLoopReadiness, object?> handler = (_, _) =>
        {
            allocated = ++told == WarmUp ? -GC.GetAllocatedBytesForCurrentThread() : allocated;
            if (told == WarmUp + Measured)
            {
                allocated += GC.GetAllocatedBytesForCurrentThread();
                registration!.Dispose();
                done.Set();
            }
            else if ((interest & EventLoopInterest.EdgeTriggered) != 0)
            {
                registration!.Interest = interest; // another edge
            }
        };
        Assert.Equal(0, Allocation.Least(() =>
        {
            told = 0;
            done.Reset();
            OnLoop(() => registration = Loop.Register(_pair.Here, interest, handler, null));
            Deadline.Wait(done);
            return allocated;
        }));
    }

    [Fact]
    public void ReadingAndWriting()
    {
        EventLoopRegistration here = Register(_pair.Here), there = Register(_pair.There);
        byte[] buffer = new byte[64];
        AssertAllocatesNothing(() =>
        {
            bool moved = here.TryWrite(buffer.AsSpan(0, 10), out int written) & there.TryRead(buffer, out int read);
            return moved && (written, read) == (10, 10) && !there.TryRead(buffer, out _);
        });
        OnLoop(there.Dispose);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    [InlineData(65)]
    public void GatheredWriting(int segments)
    {
        EventLoopRegistration here = Register(_pair.Here), there = Register(_pair.There);
        ReadOnlySequence<byte> sequence = Segments.Of(Pattern(segments * 10), segments);
        byte[] buffer = new byte[2_000];
        AssertAllocatesNothing(() => here.TryWrite(sequence, out long written) && there.TryRead(buffer, out int read) && read == written);
        OnLoop(there.Dispose);
    }

    [Fact]
    public void WritingToAFullSocket()
    {
        EventLoopRegistration here = Register(_pair.Here);
        _pair.Here.Fill();
        byte[] buffer = new byte[10_000];
        AssertAllocatesNothing(() => !here.TryWrite(buffer, out _));
    }

    [Fact]
    public void AcceptingInVain()
    {
        using var listener = new System.Net.Sockets.Socket(
            System.Net.Sockets.AddressFamily.InterNetwork, System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Tcp) { Blocking = false };
        listener.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        listener.Listen();
        EventLoopRegistration registration = Register(listener.SafeHandle);
        AssertAllocatesNothing(() => !registration.TryAccept(out _));
        OnLoop(registration.Dispose);
    }

    private void AssertAllocatesNothing(Func<bool> call) => Assert.Equal(0, OnLoop(() => Allocated(call)));

    /// <summary>Compiled once: a loop that the runtime recompiles while it runs may allocate in its stead.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static long Allocated(Func<bool> call)
    {
        long before = 0;
        for (int i = 0; i < WarmUp + (Measured / 10); i++)
        {
            before = i == WarmUp ? GC.GetAllocatedBytesForCurrentThread() : before;
            if (!call())
            {
                throw new InvalidOperationException($"Call {i} did not do what it was to do.");
            }
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
