using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Pinned blocks of 4 KiB, which system calls take without pinning them again. Used from any thread: a loop rents what a worker
/// gives back. Each block is an array of its own, so those above <see cref="KeptBlocks"/> are the collector's.
/// </summary>
internal sealed class PinnedBlockPool : MemoryPool<byte>
{
    public const int BlockSize = 4096;

    /// <summary>16 MiB.</summary>
    public const int KeptBlocks = 4096;

    [ThreadStatic]
    private static Block? t_offered;

    private readonly ConcurrentQueue<Block> _free = new();
    private int _freeCount, _count;

    /// <summary>How many blocks somebody has: a snapshot.</summary>
    public int RentedCount => Volatile.Read(ref _count) - Volatile.Read(ref _freeCount);

    public override int MaxBufferSize => BlockSize;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        if (minBufferSize > BlockSize)
        {
            throw new ArgumentOutOfRangeException(nameof(minBufferSize), minBufferSize, $"{nameof(minBufferSize)} must be {BlockSize} or less, but was {minBufferSize}.");
        }

        if (t_offered is { } offered)
        {
            t_offered = null;
            return offered;
        }

        if (!_free.TryDequeue(out Block? block))
        {
            Interlocked.Increment(ref _count);
            return new Block(this);
        }

        Interlocked.Decrement(ref _freeCount);
        block.Rented();
        return block;
    }

    /// <summary>The next block that this thread rents from a pool, in the place of a free one: its bytes are there already.</summary>
    /// <param name="block">Rented, and by nobody else's leave.</param>
    public static void Offer(IMemoryOwner<byte> block) => t_offered = (Block)block;

    /// <summary>Ends the offer. <see langword="false"/>: the block was rented.</summary>
    public static bool TryWithdraw()
    {
        bool isOffered = t_offered is not null;
        t_offered = null;
        return isOffered;
    }

    protected override void Dispose(bool disposing)
    {
    }

    private void Return(Block block)
    {
        if (Interlocked.Increment(ref _freeCount) > KeptBlocks)
        {
            Interlocked.Decrement(ref _count);
            Interlocked.Decrement(ref _freeCount);
            return;
        }

        _free.Enqueue(block);
    }

    private sealed class Block(PinnedBlockPool pool) : IMemoryOwner<byte>
    {
        private readonly Memory<byte> _memory = PinnedMemory(GC.AllocateUninitializedArray<byte>(BlockSize, pinned: true));
        private int _isFree;

        public Memory<byte> Memory => _memory;

        public void Rented() => Volatile.Write(ref _isFree, 0);

        /// <summary>Twice is once: the same block would belong to two.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isFree, 1) == 0)
            {
                pool.Return(this);
            }
        }

        /// <summary>Says that the array is pinned, so <see cref="Memory{T}.Pin"/> allocates no handle.</summary>
        private static Memory<byte> PinnedMemory(byte[] array) =>
            MemoryMarshal.CreateFromPinnedArray(array, 0, array.Length);
    }
}
