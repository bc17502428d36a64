using System.Buffers;
using NativeThreading.Interop;

namespace NativeThreading.EventLoops;

/// <summary>The segments of a sequence, pinned side by side for one system call.</summary>
internal readonly unsafe ref struct GatheredBuffers : IDisposable
{
    private readonly MemoryHandle[] _pins;
    private readonly Span<NativeBuffer> _vector;

    /// <param name="sequence">What to gather.</param>
    /// <param name="vector">Room for <see cref="LoopTuning.GatheredSegments"/>.</param>
    /// <param name="pins">Room for as many; one call at a time uses it.</param>
    public GatheredBuffers(in ReadOnlySequence<byte> sequence, Span<NativeBuffer> vector, MemoryHandle[] pins)
    {
        _pins = pins;
        int count = 0;
        try
        {
            foreach (ReadOnlyMemory<byte> segment in sequence)
            {
                if (count == LoopTuning.GatheredSegments)
                {
                    break;
                }

                if (!segment.IsEmpty)
                {
                    pins[count] = segment.Pin();
                    vector[count] = new NativeBuffer { Base = pins[count].Pointer, Length = (ulong)segment.Length };
                    count++;
                }
            }
        }
        catch
        {
            Unpin(pins.AsSpan(0, count)); // the caller's own kind of memory may refuse to be pinned
            throw;
        }

        _vector = vector[..count];
    }

    public ReadOnlySpan<NativeBuffer> Vector => _vector;

    public void Dispose() => Unpin(_pins.AsSpan(0, _vector.Length));

    private static void Unpin(Span<MemoryHandle> pins)
    {
        foreach (ref MemoryHandle pin in pins)
        {
            pin.Dispose();
            pin = default;
        }
    }
}
