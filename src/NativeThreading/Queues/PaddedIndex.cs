using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>An index alone on its pair of cache lines: 128 bytes, because x64 prefetches lines in pairs.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * Line)]
internal struct PaddedIndex
{
    public const int Line = 128;

    [FieldOffset(Line - sizeof(int))]
    public int Value;
}
