using System.Runtime.InteropServices;

namespace NativeThreading.Workloads;

/// <summary>A count on a cache line of its own, and the one that the prefetcher fetches with it, on either side.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct PaddedCount
{
    [FieldOffset(128)]
    public long Value;
}
