using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>The items that a worker moved into its lane at once: the front of the lane up to <see cref="End"/>. They are older than what stayed where
/// they came from. So if the batch is late, other workers take from it first. On cache lines of its own, written once per batch.</summary>
/// <remarks>Other threads read it while it changes. What they read decides whose turn it is, never who owns an item: the gate does that. So plain
/// reads suffice, and a torn one costs a little order.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct MovedBatch
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    private long _since;

    [FieldOffset(PaddedIndex.Line)]
    private int _end;

    [FieldOffset(PaddedIndex.Line + sizeof(int))]
    private int _outsideEnd;

    /// <summary>When the batch was moved. Of two batches of one source the one with the older items was moved first.</summary>
    public readonly long Since => Volatile.Read(in _since);

    /// <summary>The position in the lane after its last item.</summary>
    public readonly int End => Volatile.Read(in _end);

    /// <summary>The position in the lane after the last item that came out of the injector queue. The items behind it were queued by items of the
    /// pool. Exact for who excludes the owner's takes, as it says what a rescue thread may take; but one item that was moved alone is not noted: its
    /// worker runs it before it can block.</summary>
    public readonly int OutsideEnd => Volatile.Read(in _outsideEnd);

    /// <summary>A batch of the injector queue was moved. The caller holds its source, so the times of the source's batches are in order.</summary>
    public void Begin(int end) => Begin(Stopwatch.GetTimestamp(), end, end);

    /// <summary>As <see cref="Begin(int)"/>, for the lane of another worker.</summary>
    public void Begin(long since, int end, int outsideEnd)
    {
        Volatile.Write(ref _since, since);
        Volatile.Write(ref _outsideEnd, outsideEnd);
        Volatile.Write(ref _end, end);
    }

    /// <summary>A thief has taken the item at a position, and moved those before it up by one slot. Inside the gate.</summary>
    /// <param name="position">Where it was.</param>
    /// <param name="head">The head of the lane before that. An end that is not behind it is of a batch that is over.</param>
    public void NoteMovedUp(int position, int head)
    {
        Shift(ref _end, unchecked(_end - head) > 0 && unchecked(position - _end) >= 0 ? 1 : 0);
        Shift(ref _outsideEnd, unchecked(_outsideEnd - head) > 0 && unchecked(position - _outsideEnd) >= 0 ? 1 : 0);
    }

    /// <summary>The owner has taken the item at a position, and moved those behind it down by one slot.</summary>
    public void NoteMovedDown(int position)
    {
        Shift(ref _end, unchecked(position - _end) < 0 ? -1 : 0);
        Shift(ref _outsideEnd, unchecked(position - _outsideEnd) < 0 ? -1 : 0);
    }

    private static void Shift(ref int end, int by)
    {
        if (by != 0)
        {
            Volatile.Write(ref end, unchecked(end + by));
        }
    }

    /// <summary>A thief took the older part as a batch of its own. Returns its time; what remains counts as moved a tick later.</summary>
    public long Divide()
    {
        long since = _since;
        Volatile.Write(ref _since, since + 1);
        return since;
    }
}
