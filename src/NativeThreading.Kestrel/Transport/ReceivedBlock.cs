using System.Buffers;
using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// A block to read into before the pipe knows of it. A pipe that is asked for room keeps its block until something was written, and so
/// a read that finds nothing would leave an idle connection with one. This block goes back where it was not needed.
/// </summary>
internal ref struct ReceivedBlock(PinnedBlockPool pool) : IDisposable
{
    private IMemoryOwner<byte>? _block = pool.Rent();

    /// <summary>Room for what is read; not behind <see cref="WriteTo"/>.</summary>
    public readonly Span<byte> Bytes => _block!.Memory.Span;

    /// <summary>
    /// Writes the first bytes to a pipe of that pool, and flushes nothing. A pipe without room takes the block, and no byte is copied. One
    /// that has a last block with room holds what the application has not consumed: these bytes are put behind it.
    /// </summary>
    public void WriteTo(PipeWriter pipe, int count)
    {
        while (count > 0)
        {
            Memory<byte> room = RoomOf(pipe);
            int written = Math.Min(count, room.Length);
            if (_block is { } own)
            {
                Span<byte> bytes = own.Memory.Span[..count];
                bytes[..written].CopyTo(room.Span);
                bytes[written..].CopyTo(bytes); // it begins with the rest then: the pipe has no room now, and takes it
            }

            pipe.Advance(written);
            count -= written;
        }
    }

    public void Dispose()
    {
        _block?.Dispose();
        _block = null;
    }

    private Memory<byte> RoomOf(PipeWriter pipe)
    {
        PinnedBlockPool.Offer(_block!);
        try
        {
            return pipe.GetMemory();
        }
        finally
        {
            if (!PinnedBlockPool.TryWithdraw())
            {
                _block = null; // it is the pipe's, also where the call has thrown
            }
        }
    }
}
