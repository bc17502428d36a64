using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>A counter padded against false sharing. A reader costs the writer at most one transfer of the cache line. If several threads
/// write it, they use interlocked operations.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct OwnCounter
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    public long Value;
}
