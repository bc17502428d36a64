using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// A stretch of an <see cref="ExternalLane"/>: slots that producers claim by ticket and fill in any order, and that the
/// consumer empties in order.
/// </summary>
internal sealed class ExternalSegment
{
    public const int Size = QueueTuning.SegmentSize;

    private readonly WorkItem[] _slots = new WorkItem[Size];
    private ExternalSegment? _next;
    private int _limit = Size; // of what was claimed: less where the segment was sealed
    private int _height; // of the pile of spares, up to this one
    private PaddedIndex _tickets;

    /// <summary>Items of the lane before this segment; set while nobody can claim a ticket.</summary>
    public long Base { get; set; }

    /// <summary>The following segment; written once per use, under the lane's lock for appending.</summary>
    public ExternalSegment? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The spare below this one, while it lies on the pile of spares.</summary>
    public ExternalSegment? Below { get; private set; }

    /// <summary>Before it is pushed: what will lie below it. <see langword="false"/>: the pile is high enough.</summary>
    public bool TryPutOnTop(ExternalSegment? top, int mostHeight)
    {
        (Below, _height) = (top, (top?._height ?? 0) + 1);
        return _height <= mostHeight;
    }

    /// <summary>It was taken; it must not keep the others alive.</summary>
    public void LeavePile() => Below = null;

    /// <summary>Slots claimed, at most <see cref="Size"/>.</summary>
    public int Claimed => Math.Min(Volatile.Read(ref _tickets.Value), Volatile.Read(ref _limit));

    /// <summary>Makes an emptied segment usable again. From here on tickets are given out, also to late comers.</summary>
    public void Reopen(long newBase)
    {
        Base = newBase;
        Next = null;
        Volatile.Write(ref _tickets.Value, 0);
    }

    /// <summary>
    /// Gives out no more tickets, provided that <paramref name="claimed"/> slots have been claimed by now: takes all those
    /// that are left, in one interlocked step, so that producers pay nothing for it. Under the lane's lock for appending.
    /// </summary>
    public bool TrySeal(int claimed)
    {
        int tickets = Volatile.Read(ref _tickets.Value);
        if (Math.Min(tickets, Size) != claimed)
        {
            return false;
        }

        Chaos.Point("ExternalSegment.TrySeal, tickets read");
        Volatile.Write(ref _limit, claimed);
        Chaos.Point("ExternalSegment.TrySeal, limit set");
        if (tickets >= Size || Interlocked.CompareExchange(ref _tickets.Value, Size, tickets) == tickets)
        {
            return true;
        }

        Chaos.Point("ExternalSegment.TrySeal, too late");
        Volatile.Write(ref _limit, Size);
        return false;
    }

    /// <summary>Forgets how many have asked in vain, or the count would come round some day. Under the lane's lock for appending.</summary>
    public void StaySealed() => Volatile.Write(ref _tickets.Value, Size);

    /// <summary>
    /// Claims a slot and publishes an item in it; <see langword="false"/> if the segment is used up. The caller fences
    /// before it reads the state word: a consumer reports a claimed slot that is not filled yet as empty (T63).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd(Action<object?> callback, object? state, object? context)
    {
        int ticket = Interlocked.Increment(ref _tickets.Value) - 1;
        if ((uint)ticket >= Size)
        {
            return false;
        }

        Chaos.Point("ExternalSegment.TryAdd, claimed");
        ref WorkItem slot = ref Slot(ticket);
        slot.State = state;
        if (context is not null)
        {
            slot.Context = context;
        }

        Chaos.Point("ExternalSegment.TryAdd, not yet filled");
        // Release: a consumer that sees the callback sees the whole slot.
        Volatile.Write(ref slot.Callback, callback);
        return true;
    }

    /// <summary>The slot of a ticket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref WorkItem Slot(int ticket) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_slots), ticket);

    /// <summary>Whether a slot is filled. Acquire: pairs with the release in <see cref="TryAdd"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsFilled(int ticket) => Volatile.Read(ref Slot(ticket).Callback) is not null;
}
