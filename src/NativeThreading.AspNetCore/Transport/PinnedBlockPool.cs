using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Pinned blocks of 4 KiB, which system calls take without pinning them again. Used from any thread: a loop rents what a worker
/// gives back. Each block is an array of its own, so those above <see cref="KeptBlocks"/> are the collector's.
/// </summary>
internal sealed class PinnedBlockPool : MemoryPool<byte>
{
    public const int BlockSize = 4096;

    /// <summary>16 MiB.</summary>
    public const int KeptBlocks = 4096;

    private readonly ConcurrentQueue<Block> _free = new();
    private int _freeCount;

    public override int MaxBufferSize => BlockSize;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        if (minBufferSize > BlockSize)
        {
            throw new ArgumentOutOfRangeException(nameof(minBufferSize), minBufferSize, $"A block has {BlockSize} bytes.");
        }

        if (!_free.TryDequeue(out Block? block))
        {
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
