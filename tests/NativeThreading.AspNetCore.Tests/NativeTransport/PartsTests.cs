using System.Buffers;
using System.IO.Pipelines;
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
        Assert.False(gate.Tell()); // nobody waits yet
        Assert.False(gate.TryWait()); // it was told meanwhile: try again
        gate.Prepare();
        Assert.True(gate.TryWait());
        Assert.True(gate.Tell()); // who tells goes on with the sender
        Assert.False(gate.Tell()); // once
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

    [Fact]
    public async Task FirstRead_GoesOnOnThePool_AlsoWhereItsResultIsThere_AndLaterOnesWhereTheyAre()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "entered", MaxThreads = 1 });
        var pipe = new Pipe(new PipeOptions(useSynchronizationContext: false));
        await pipe.Writer.WriteAsync(new byte[8]);
        var reader = new EnteringReader(pipe.Reader, await Deadline.For(ApplicationScheduler.OfAsync(pool)));

        Assert.False(reader.TryRead(out _)); // else the caller would go on here
        string[] places = await Deadline.For(Task.Run(async () =>
        {
            ReadResult first = await reader.ReadAsync();
            string here = Support.Where.AmI;
            reader.AdvanceTo(first.Buffer.Start);
            ReadResult second = await reader.ReadAtLeastAsync(8);
            return new[] { here, Support.Where.AmI, $"{first.Buffer.Length} {second.Buffer.Length}" };
        }));

        Assert.Equal(["entered", "entered", "8 8"], places);
    }

    [Fact]
    public async Task FirstRead_ThrowsWhatItsReaderThrows_AndMayBeATask()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var pipe = new Pipe(new PipeOptions(useSynchronizationContext: false));
        await pipe.Writer.CompleteAsync(new InvalidDataException("expected"));
        var reader = new EnteringReader(pipe.Reader, await Deadline.For(ApplicationScheduler.OfAsync(pool)));

        await Assert.ThrowsAsync<InvalidDataException>(() => Deadline.For(reader.ReadAsync().AsTask()));
    }
}
