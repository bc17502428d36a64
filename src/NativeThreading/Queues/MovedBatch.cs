using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// The items that a worker moved into its lane at once: the front of the lane up to <see cref="End"/>. They are older than what
/// stayed where they came from. So if the batch is late, other workers take from it first. On cache lines of its own, written
/// once per batch.
/// </summary>
/// <remarks>
/// Other threads read it while it changes. What they read decides whose turn it is, never who owns an item: the gate does that.
/// So plain reads suffice, and a torn one costs a little order.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct MovedBatch
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    private long _since;

    [FieldOffset(PaddedIndex.Line)]
    private int _end;

    /// <summary>When the batch was moved. Of two batches of one source the one with the older items was moved first.</summary>
    public readonly long Since => Volatile.Read(in _since);

    /// <summary>The position in the lane behind its last item.</summary>
    public readonly int End => Volatile.Read(in _end);

    /// <summary>A batch was moved. The caller holds its source, so the times of the source's batches are in order.</summary>
    public void Begin(int end) => Begin(Stopwatch.GetTimestamp(), end);

    /// <summary>As <see cref="Begin(int)"/>, with a known time.</summary>
    public void Begin(long since, int end)
    {
        Volatile.Write(ref _since, since);
        Volatile.Write(ref _end, end);
    }

    /// <summary>
    /// A thief took the older part as a batch of its own. Returns its time; what remains counts as moved a tick later.
    /// </summary>
    public long Divide()
    {
        long since = _since;
        Volatile.Write(ref _since, since + 1);
        return since;
    }
}
