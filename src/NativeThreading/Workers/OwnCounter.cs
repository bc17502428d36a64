using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>A counter on cache lines of its own: what lies beside it is not slowed down by who writes it, and readers cost a writer at most a line
/// transfer. Who shares it with other writers adds to it by interlocked operations.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct OwnCounter
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    public long Value;
}
