using System.Buffers;
using System.Runtime.InteropServices;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Native memory that knows how often it is pinned, or refuses to be.</summary>
internal sealed unsafe class PinCountingMemory(bool failing) : MemoryManager<byte>
{
    private const int Size = 16;

    private byte* _memory = (byte*)NativeMemory.AllocZeroed(Size);

    public int Pinned { get; private set; }

    public int Held { get; private set; }

    public override Span<byte> GetSpan() => new(_memory, Size);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        if (failing)
        {
            throw new InvalidTimeZoneException();
        }

        Pinned++;
        Held++;
        return new MemoryHandle(_memory + elementIndex, default, this);
    }

    public override void Unpin() => Held--;

    protected override void Dispose(bool disposing)
    {
        NativeMemory.Free(_memory);
        _memory = null;
    }
}
