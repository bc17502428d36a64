using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>
/// A part of a shard: slots that producers claim by ticket and fill in any order, and that the consumer empties in order.
/// </summary>
internal sealed class InjectorSegment
{
    public const int Size = QueueTuning.SegmentSize;

    private readonly WorkItem[] _slots = new WorkItem[Size];
    private InjectorSegment? _next;
    private int _limit = Size; // of claimed slots; less than Size once sealed
    private int _height; // of the pile of spares from its bottom to this segment
    private PaddedIndex _tickets;

    /// <summary>Items of the shard before this segment. Set while no ticket can be claimed.</summary>
    public long Base { get; set; }

    /// <summary>The following segment. Written once per use, under the shard's append lock.</summary>
    public InjectorSegment? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The next spare below, while this segment is on the pile of spares.</summary>
    public InjectorSegment? Below { get; private set; }

    /// <summary>Called before the push, with the spare that will be below. <see langword="false"/>: the pile is full.</summary>
    public bool TryPutOnTop(InjectorSegment? top, int mostHeight)
    {
        (Below, _height) = (top, (top?._height ?? 0) + 1);
        return _height <= mostHeight;
    }

    /// <summary>The segment was taken off the pile, and must not keep the others alive.</summary>
    public void LeavePile() => Below = null;

    /// <summary>Slots claimed, at most <see cref="Size"/>.</summary>
    public int Claimed => Math.Min(Volatile.Read(ref _tickets.Value), Volatile.Read(ref _limit));

    /// <summary>
    /// Makes an emptied segment usable again. From here on any producer gets tickets, also one that was delayed.
    /// </summary>
    public void Reopen(long newBase)
    {
        Base = newBase;
        Next = null;
        Volatile.Write(ref _tickets.Value, 0);
    }

    /// <summary>
    /// Gives out no more tickets, if exactly <paramref name="claimed"/> slots have been claimed. It takes all remaining tickets
    /// in one interlocked step, so producers pay nothing for sealing. Under the shard's append lock.
    /// </summary>
    public bool TrySeal(int claimed)
    {
        int tickets = Volatile.Read(ref _tickets.Value);
        if (Math.Min(tickets, Size) != claimed)
        {
            return false;
        }

        Chaos.Point("InjectorSegment.TrySeal, tickets read");
        Volatile.Write(ref _limit, claimed);
        Chaos.Point("InjectorSegment.TrySeal, limit set");
        if (tickets >= Size || Interlocked.CompareExchange(ref _tickets.Value, Size, tickets) == tickets)
        {
            return true;
        }

        Chaos.Point("InjectorSegment.TrySeal, too late");
        Volatile.Write(ref _limit, Size);
        return false;
    }

    /// <summary>
    /// Resets the count of tickets, which refused producers still increase: it would overflow one day. Under the shard's append
    /// lock.
    /// </summary>
    public void StaySealed() => Volatile.Write(ref _tickets.Value, Size);

    /// <summary>
    /// Claims a slot and publishes an item in it. <see langword="false"/>: no slot is left. The caller fences before it reads
    /// the state word: to a consumer a slot that is claimed and not filled yet looks empty (T63).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd(Action<object?> callback, object? state, object? context)
    {
        if (!TryClaim(out int ticket))
        {
            return false;
        }

        Chaos.Point("InjectorSegment.TryAdd, claimed");
        Fill(ticket, callback, state, context);
        return true;
    }

    /// <summary>Claims a slot, which the caller then fills. <see langword="false"/>: no slot is left.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryClaim(out int ticket)
    {
        Counters.Add(Counted.Ticket);
        ticket = Interlocked.Increment(ref _tickets.Value) - 1;
        if ((uint)ticket < Size)
        {
            return true;
        }

        Counters.Add(Counted.TicketMiss);
        return false;
    }

    /// <summary>Publishes an item in the claimed slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fill(int ticket, Action<object?> callback, object? state, object? context)
    {
        ref WorkItem slot = ref Slot(ticket);
        slot.State = state;
        if (context is not null)
        {
            slot.Context = context;
        }

        Chaos.Point("InjectorSegment.Fill, not yet filled");
        // Release: a consumer that sees the callback sees the whole slot.
        Volatile.Write(ref slot.Callback, callback);
    }

    /// <summary>The slot of a ticket.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref WorkItem Slot(int ticket) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_slots), ticket);

    /// <summary>Whether a slot is filled. Acquire: pairs with the release in <see cref="Fill"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsFilled(int ticket) => Volatile.Read(ref Slot(ticket).Callback) is not null;
}
