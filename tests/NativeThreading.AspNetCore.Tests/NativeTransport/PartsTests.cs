using System.Buffers;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>The small parts, alone.</summary>
public sealed class PartsTests
{
    [Fact]
    public void Gate_AnEdgeBetweenAttemptAndWait_IsNotLost()
    {
        var gate = new WriteGate();

        gate.Prepare();
        Assert.False(gate.Signal()); // no sender waits yet
        Assert.False(gate.TryWait()); // a signal came meanwhile: try again
        gate.Prepare();
        Assert.True(gate.TryWait());
        Assert.True(gate.Signal()); // the thread that signals continues the sender
        Assert.False(gate.Signal()); // once
    }

    [Fact]
    public void Blocks_AreRentedAgain_AndGivenBackOnce()
    {
        using var pool = new PinnedBlockPool();
        IMemoryOwner<byte> block = pool.Rent();
        Assert.Equal(PinnedBlockPool.BlockSize, block.Memory.Length);
        block.Dispose();
        block.Dispose();

        using IMemoryOwner<byte> again = pool.Rent(PinnedBlockPool.BlockSize);
        using IMemoryOwner<byte> other = pool.Rent();
        Assert.Same(block, again);
        Assert.NotSame(again, other);
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Rent(PinnedBlockPool.BlockSize + 1));
    }
}
