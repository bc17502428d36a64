using System.Buffers;
using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops;

/// <summary>Room for the pins of one gathered call on the stack of a thread that has none of its own.</summary>
[InlineArray(LoopTuning.GatheredSegments)]
internal struct PinRoom
{
    private MemoryHandle _first;
}
