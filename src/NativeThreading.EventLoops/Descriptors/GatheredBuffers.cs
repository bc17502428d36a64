using System.Buffers;
using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Descriptors;

/// <summary>Pieces of memory, pinned side by side for one system call.</summary>
internal readonly unsafe ref struct GatheredBuffers : IDisposable
{
    private readonly Span<MemoryHandle> _pins;
    private readonly Span<NativeBuffer> _vector;

    /// <param name="sequence">What to gather.</param>
    /// <param name="vector">Room for <see cref="LoopTuning.GatheredSegments"/>.</param>
    /// <param name="pins">Room for as many.</param>
    public GatheredBuffers(in ReadOnlySequence<byte> sequence, Span<NativeBuffer> vector, Span<MemoryHandle> pins)
    {
        int count = 0;
        foreach (ReadOnlyMemory<byte> segment in sequence)
        {
            if (!TryPin(segment, vector, pins, ref count))
            {
                break;
            }
        }

        _vector = vector[..count];
        _pins = pins[..count];
    }

    public ReadOnlySpan<NativeBuffer> Vector => _vector;

    public void Dispose() => Unpin(_pins);

    /// <summary><see langword="false"/>: there is no more room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryPin(ReadOnlyMemory<byte> memory, Span<NativeBuffer> vector, Span<MemoryHandle> pins, ref int count)
    {
        if (count == LoopTuning.GatheredSegments)
        {
            return false;
        }

        if (!memory.IsEmpty)
        {
            try
            {
                pins[count] = memory.Pin();
            }
            catch
            {
                Unpin(pins[..count]); // the caller's own kind of memory may refuse to be pinned
                throw;
            }

            vector[count] = new NativeBuffer { Base = pins[count].Pointer, Length = (ulong)memory.Length };
            count++;
        }

        return true;
    }

    private static void Unpin(Span<MemoryHandle> pins)
    {
        foreach (ref MemoryHandle pin in pins)
        {
            pin.Dispose();
            pin = default;
        }
    }
}

/// <summary>Room for the pins of one gathered call, on the stack.</summary>
[InlineArray(LoopTuning.GatheredSegments)]
internal struct PinRoom
{
    private MemoryHandle _first;
}
