using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// What a worker's thread is ready for: nothing, for items without a context; or resumptions, whose
/// <see cref="SynchronizationContext"/> stays from one to the next that follows.
/// </summary>
/// <remarks>It changes with the kind of the items, so it lies on cache lines of its own: others read the worker's as they queue.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct InstalledContext
{
    /// <summary>The context of items that find the thread ready.</summary>
    [FieldOffset(PaddedIndex.Line - 16)]
    public Resumption? Item;

    /// <summary>What the thread has set for them.</summary>
    [FieldOffset(PaddedIndex.Line - 8)]
    public SynchronizationContext? Value;
}
