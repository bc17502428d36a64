using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>A part of a shard: slots that producers claim by ticket and fill in any order, and that the consumer empties in order.</summary>
internal sealed class InjectorSegment
{
    public const int Size = QueueTuning.SegmentSize;

    // The cost is dominated by transferring the slot's cache line. So contexts are in a separate array: most items have none, or share one.
    private readonly InjectorSlot[] _slots = new InjectorSlot[Size];
    private readonly object?[] _contexts = new object?[Size];
    private InjectorSegment? _next;
    private int _limit = Size; // of claimed slots; less than Size once sealed
    private int _height; // of the pile of spares from its bottom to this segment
    private PaddedIndex _tickets;

    /// <summary>The number of items of the shard before this segment. Set while no ticket can be claimed.</summary>
    public long Base { get; set; }

    /// <summary>The following segment. Written once per use, under the shard's append lock.</summary>
    public InjectorSegment? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The next spare below, while this segment is on the pile of spares.</summary>
    public InjectorSegment? Below { get; private set; }

    /// <summary>Called before the push, with the spare that will be below. Returns <see langword="false"/> if the pile is full.</summary>
    public bool TryPutOnTop(InjectorSegment? top, int mostHeight)
    {
        (Below, _height) = (top, (top?._height ?? 0) + 1);
        return _height <= mostHeight;
    }

    /// <summary>The segment was taken off the pile, and must not keep the others alive.</summary>
    public void LeavePile() => Below = null;

    /// <summary>Slots claimed, at most <see cref="Size"/>.</summary>
    public int Claimed => Math.Min(Volatile.Read(ref _tickets.Value), Volatile.Read(ref _limit));

    /// <summary>Makes an emptied segment usable again. From here on any producer gets tickets, including a producer that was delayed.</summary>
    public void Reopen(long newBase)
    {
        Base = newBase;
        Next = null;
        Volatile.Write(ref _tickets.Value, 0);
    }

    /// <summary>Stops giving out tickets, if exactly <paramref name="claimed"/> slots have been claimed. It takes all remaining tickets in one
    /// interlocked step, so sealing costs producers nothing. Under the shard's append lock.</summary>
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

    /// <summary>Resets the count of tickets, which producers still increase when they get none: otherwise it would overflow. Under the shard's append
    /// lock.</summary>
    public void StaySealed() => Volatile.Write(ref _tickets.Value, Size);

    /// <summary>Claims a slot and publishes an item in it. Returns <see langword="false"/> if no slot is left. The caller fences before it reads the
    /// state word, because a slot that is claimed and not yet filled seems empty to a consumer (T63).</summary>
    /// <param name="call">The callback, or a <see cref="RepeatedCall"/>.</param>
    /// <param name="state">The callback's argument.</param>
    /// <param name="context">The context of a callback; a repeated call has its own.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd(object call, object? state, object? context)
    {
        if (!TryClaim(out int ticket))
        {
            return false;
        }

        Chaos.Point("InjectorSegment.TryAdd, claimed");
        Fill(ticket, call, state, context);
        return true;
    }

    /// <summary>Claims a slot, which the caller then fills. Returns <see langword="false"/> if no slot is left.</summary>
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
    /// <inheritdoc cref="TryAdd" path="/param"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fill(int ticket, object call, object? state, object? context)
    {
        ref InjectorSlot slot = ref Slot(ticket);
        slot.State = state;
        if (context is not null)
        {
            Context(ticket) = context;
        }

        Chaos.Point("InjectorSegment.Fill, not yet filled");
        // Release: a consumer that sees the call sees the whole item.
        Volatile.Write(ref slot.Call, call);
    }

    /// <summary>Whether a slot is filled. Acquire: pairs with the release in <see cref="Fill"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsFilled(int ticket) => Volatile.Read(ref Slot(ticket).Call) is not null;

    /// <summary>Whether a slot is filled with that callback. Acquire, as <see cref="IsFilled"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Holds(int ticket, Action<object?> callback) => ReferenceEquals(Volatile.Read(ref Slot(ticket).Call), callback);

    /// <summary>The range in a slot, or null. Without the consumer lock, the range may already have been removed.</summary>
    public ItemRange? RangeAt(int ticket) => Holds(ticket, ItemRange.Entry) ? Slot(ticket).State as ItemRange : null;

    /// <summary>A copy of the item in a slot. Without the consumer lock its words may belong to several items, or be missing.</summary>
    public WorkItem ItemAt(int ticket)
    {
        object? call = Volatile.Read(ref Slot(ticket).Call);
        object? state = Slot(ticket).State;
        return call is RepeatedCall repeated
            ? new WorkItem { Callback = repeated.Callback, State = state, Context = repeated.Context }
            : new WorkItem { Callback = Unsafe.As<Action<object?>>(call), State = state, Context = Context(ticket) };
    }

    /// <summary>Takes the item out of a filled slot and clears the slot. Under the consumer lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(int ticket, ref WorkItem item)
    {
        ref InjectorSlot slot = ref Slot(ticket);
        object call = slot.Call!;
        item.State = slot.State;
        slot.State = null;
        if (call is RepeatedCall repeated)
        {
            (item.Callback, item.Context) = (repeated.Callback, repeated.Context);
        }
        else
        {
            item.Callback = Unsafe.As<Action<object?>>(call);
            ref object? context = ref Context(ticket);
            item.Context = context;
            if (context is not null)
            {
                context = null;
            }
        }

        Chaos.Point("InjectorSegment.Take, not yet empty");
        // Last, and a release: a thread that polls the slot sees no part of an item that was taken.
        Volatile.Write(ref slot.Call, null);
    }

    /// <summary>Replaces an item that was copied with a callback. Under the consumer lock.</summary>
    public void Replace(int ticket, Action<object?> callback)
    {
        ref InjectorSlot slot = ref Slot(ticket);
        slot.State = null;
        Context(ticket) = null;
        Volatile.Write(ref slot.Call, callback);
    }

    /// <summary>Empties a slot that holds only a callback. Under the consumer lock.</summary>
    public void Clear(int ticket) => Volatile.Write(ref Slot(ticket).Call, null);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref InjectorSlot Slot(int ticket) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_slots), ticket);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref object? Context(int ticket) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_contexts), ticket);
}

/// <summary>A slot of an <see cref="InjectorSegment"/>: what every item has. Four of them lie on a cache line.</summary>
internal struct InjectorSlot
{
    /// <summary>The callback, or a <see cref="RepeatedCall"/>; <see langword="null"/> marks an empty slot.</summary>
    public object? Call;

    /// <summary>The callback's argument.</summary>
    public object? State;
}

/// <summary>A callback and a context that many items have in common, as one object: such an item takes two words of the injector queue instead of
/// three.</summary>
/// <param name="callback">What to call.</param>
/// <param name="context">The context of the calls.</param>
internal sealed class RepeatedCall(Action<object?> callback, object context)
{
    /// <summary>What to call.</summary>
    public Action<object?> Callback => callback;

    /// <summary>The context of the calls.</summary>
    public object Context => context;
}
