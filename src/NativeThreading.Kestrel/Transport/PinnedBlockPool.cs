using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Pinned blocks of 4 KiB, which system calls use without pinning them again. Used from any thread: a loop rents blocks that workers return.
/// Each block is an array of its own, so the garbage collector frees those above <see cref="KeptBlocks"/>.</summary>
internal sealed class PinnedBlockPool : MemoryPool<byte>
{
    public const int BlockSize = 4096, KeptBlocks = 4096; // together 16 MiB

    private readonly ConcurrentQueue<Block> _free = new();
    private int _freeCount, _count;

    /// <summary>The number of blocks in use: a snapshot.</summary>
    public int RentedCount => Volatile.Read(ref _count) - Volatile.Read(ref _freeCount);

    public override int MaxBufferSize => BlockSize;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        if (minBufferSize > BlockSize)
        {
            throw new ArgumentOutOfRangeException(nameof(minBufferSize), minBufferSize, $"{nameof(minBufferSize)} must be {BlockSize} or less, but was {minBufferSize}.");
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
        private int _isFree;

        // Tells Memory<T>.Pin that the array is pinned, so that it allocates no handle.
        public Memory<byte> Memory { get; } = MemoryMarshal.CreateFromPinnedArray(GC.AllocateUninitializedArray<byte>(BlockSize, pinned: true), 0, BlockSize);

        public void Rented() => Volatile.Write(ref _isFree, 0);

        /// <summary>A second call does nothing: the same block would belong to two users.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isFree, 1) == 0)
            {
                pool.Return(this);
            }
        }
    }
}
