using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// What a worker moved into its lane at once: the front of the lane up to <see cref="End"/>. These items are older than
/// what lies where they came from, so that others who find them late take them first. On cache lines of its own, written
/// once per batch.
/// </summary>
/// <remarks>
/// Others read it while it changes. What they conclude decides whose turn it is, never who owns an item: that is the
/// gate's. So plain reads do, and one that is torn costs a little order.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct MovedBatch
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    private long _since;

    [FieldOffset(PaddedIndex.Line)]
    private int _end;

    /// <summary>When it was moved; of two batches of one source the older one was moved first.</summary>
    public readonly long Since => Volatile.Read(in _since);

    /// <summary>The position in the lane behind its last item.</summary>
    public readonly int End => Volatile.Read(in _end);

    /// <summary>A batch was moved from a source that the caller holds: that is what orders the times.</summary>
    public void Begin(int end) => Begin(Stopwatch.GetTimestamp(), end);

    /// <summary>As <see cref="Begin(int)"/> where the time is known.</summary>
    public void Begin(long since, int end)
    {
        Volatile.Write(ref _since, since);
        Volatile.Write(ref _end, end);
    }

    /// <summary>Part of this batch was taken over as a batch of its own, which is the older part and gets the time of both.</summary>
    public long Divide()
    {
        long since = _since;
        Volatile.Write(ref _since, since + 1);
        return since;
    }
}
