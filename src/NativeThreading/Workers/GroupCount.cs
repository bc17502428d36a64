using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// What whoever queues an item to a group touches: how many items have not ended, which it changes, and whether workers sleep in a
/// wait for them, which it reads. On lines of their own.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct GroupCount
{
    /// <summary>Items that were queued and are not known to have ended.</summary>
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    public long Value;

    /// <summary>Workers that sleep, and are to be told of items. Changed under the group's lock.</summary>
    [FieldOffset(PaddedIndex.Line)]
    public int Sleepers;
}
