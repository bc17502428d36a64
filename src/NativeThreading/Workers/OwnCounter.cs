using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>A counter with one writer, on cache lines of its own: readers cost the writer at most a line transfer.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct OwnCounter
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    public long Value;
}
