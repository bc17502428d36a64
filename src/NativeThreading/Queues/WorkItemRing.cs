using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>A growable ring of work items with one pusher. Takes must exclude each other (by an <see cref="StealGate"/> or a lock). A push need not
/// exclude takes from the head. Used as deque and as lane.</summary>
/// <remarks>A push decides by the slot whether the ring is full, never by the head. A slot that a taker has not finished clearing counts as occupied,
/// so nothing is overwritten, and the pusher shares no index with thieves. Takers clear the callback last (release), the pusher reads it first
/// (acquire). A cleared slot keeps no taken item alive, even while the owner is blocked.</remarks>
internal sealed class WorkItemRing
{
#if DEBUG
    private const int FirstIndex = int.MaxValue - 40; // every run of the tests wraps around (T23)
#else
    private const int FirstIndex = 0;
#endif

    private WorkItem[] _items = new WorkItem[QueueTuning.RingCapacity];
    private PaddedIndex _tail;
    private PaddedIndex _head;
    private int _removed; // items taken by TryTakeMatching; each moved the tail back by one

    public WorkItemRing()
    {
        _tail.Value = FirstIndex;
        _head.Value = FirstIndex;
    }

    /// <summary>Items inside: a snapshot, exact for a caller that excludes pushes and takes.</summary>
    public int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Math.Max(0, Volatile.Read(ref _tail.Value) - Volatile.Read(ref _head.Value));
    }

    /// <summary>The position of the oldest item.</summary>
    public int Head => Volatile.Read(ref _head.Value);

    /// <summary>The position of the next push.</summary>
    public int Tail => Volatile.Read(ref _tail.Value);

    /// <summary>Whether the next push will succeed; for the pusher.</summary>
    public bool HasFreeSlot => Volatile.Read(ref Slot(_items, _tail.Value).Callback) is null;

    /// <summary>Slots in the current array; for tests of growth.</summary>
    internal int Capacity => _items.Length;

    /// <summary>Publishes an item at the tail. <see langword="false"/>: the slot there is not free yet.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(Action<object?> callback, object? state, object? context)
    {
        int tail = _tail.Value;
        ref WorkItem slot = ref Slot(_items, tail);
        if (Volatile.Read(ref slot.Callback) is not null)
        {
            return false;
        }

        Chaos.Point("WorkItemRing.TryPush, slot free");
        slot.State = state;
        if (context is not null)
        {
            slot.Context = context; // an empty slot has none and most items have none: saves a card mark
        }

        slot.Callback = callback;
        Chaos.Point("WorkItemRing.TryPush, slot filled");

        // Release: a taker that sees the new tail sees the whole slot.
        Volatile.Write(ref _tail.Value, tail + 1);
        return true;
    }

    /// <summary>Doubles the ring. The caller excludes takes and is the pusher.</summary>
    public void Grow()
    {
        Failpoints.Growth?.Invoke("ring");
        WorkItem[] old = _items;
        var larger = new WorkItem[checked(old.Length * 2)];
        int tail = _tail.Value;
        for (int index = _head.Value; index != tail; index++)
        {
            Slot(larger, index) = Slot(old, index);
        }

        _items = larger;
    }

    /// <summary>Takes the newest item. The caller excludes other takes and is the pusher.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTakeNewest(ref WorkItem item)
    {
        int tail = _tail.Value;
        if (tail == _head.Value)
        {
            return false;
        }

        Chaos.Point("WorkItemRing.TryTakeNewest, tail read");
        Move(ref Slot(_items, --tail), ref item);
        Chaos.Point("WorkItemRing.TryTakeNewest, slot emptied");
        Volatile.Write(ref _tail.Value, tail);
        return true;
    }

    /// <summary>Takes the oldest item. The caller excludes other takes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTakeOldest(ref WorkItem item)
    {
        int head = _head.Value;

        // Acquire: pairs with the release in TryPush.
        if (head == Volatile.Read(ref _tail.Value))
        {
            return false;
        }

        Chaos.Point("WorkItemRing.TryTakeOldest, not empty");
        Move(ref Slot(_items, head), ref item);
        Chaos.Point("WorkItemRing.TryTakeOldest, slot emptied");
        Volatile.Write(ref _head.Value, head + 1);
        return true;
    }

    /// <summary>Takes the newest item that satisfies <paramref name="match"/> and closes the gap. The caller excludes takes and is the
    /// pusher.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item) =>
        TryTakeMatching(match, argument, ref item, out _);

    /// <summary>As above, and says the position at which the item was. Those behind it are now one position before theirs.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item, out int position)
    {
        WorkItem[] items = _items;
        int head = _head.Value;
        int tail = _tail.Value;
        for (int index = position = tail; index != head;)
        {
            position = --index;
            if (!match(in Slot(items, index), argument))
            {
                continue;
            }

            item = Slot(items, index);
            for (; index != tail - 1; index++)
            {
                Slot(items, index) = Slot(items, index + 1);
            }

            WorkItem dropped = default;
            Move(ref Slot(items, tail - 1), ref dropped);
            Volatile.Write(ref _removed, _removed + 1); // before the tail: see SnapshotOf
            Volatile.Write(ref _tail.Value, tail - 1);
            return true;
        }

        return false;
    }

    /// <summary>Takes the oldest item that satisfies <paramref name="match"/>, and moves those before it up by one slot: the head is the takers',
    /// while the pusher may push at the tail. The caller excludes other takes.</summary>
    public bool TryTakeOldestMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item) =>
        TryTakeOldestMatching(match, argument, int.MaxValue, ref item, out _);

    /// <summary>As above, and says the position at which the item was. Those before it are now one position behind theirs. Only so many items as
    /// <paramref name="asked"/>, from the oldest on, must satisfy <paramref name="match"/>: the one behind them is taken as it is.</summary>
    public bool TryTakeOldestMatching<TArgument>(
        ItemPredicate<TArgument> match, TArgument argument, int asked, ref WorkItem item, out int position)
    {
        WorkItem[] items = _items;
        int head = _head.Value;
        int tail = Volatile.Read(ref _tail.Value);
        for (int index = position = head; index != tail; position = ++index)
        {
            if (unchecked(index - head) < asked && !match(in Slot(items, index), argument))
            {
                continue;
            }

            item = Slot(items, index);
            for (; index != head; index--)
            {
                // Releases, one behind the other: AnyContext finds each context in its old slot or in the next one.
                ref WorkItem slot = ref Slot(items, index);
                ref WorkItem before = ref Slot(items, index - 1);
                slot.State = before.State;
                slot.Callback = before.Callback;
                Volatile.Write(ref slot.Context, before.Context);
                Chaos.Point("WorkItemRing.TryTakeOldestMatching, moved up");
            }

            WorkItem dropped = default;
            Move(ref Slot(items, head), ref dropped);
            Chaos.Point("WorkItemRing.TryTakeOldestMatching, slot emptied");
            Volatile.Write(ref _head.Value, head + 1);
            return true;
        }

        return false;
    }

    /// <summary>Whether the context of an item, which is all that it is shown of it, satisfies <paramref name="match"/>. By any thread, next to all
    /// others: an item that its owner or a thief takes may be missed, one that stays is seen, also while others are taken from behind it.</summary>
    /// <remarks>Never inlined: the last context would live as long as the frame of a worker that sleeps (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool AnyContext<TArgument>(ItemPredicate<TArgument> match, TArgument argument)
    {
        int tail = Volatile.Read(ref _tail.Value);
        WorkItem[] items = Volatile.Read(ref _items);
        for (int index = Volatile.Read(ref _head.Value); unchecked(tail - index) > 0; index++)
        {
            // Acquires, in the order of the slots: pair with the releases in TryTakeOldestMatching.
            var seen = new WorkItem { Context = Volatile.Read(ref Slot(items, index).Context) };
            if (match(in seen, argument))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether one of the oldest items satisfies <paramref name="match"/>: a snapshot, next to all others. What is shown may be of two
    /// items.</summary>
    /// <inheritdoc cref="AnyContext" path="/remarks"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool AnyOfOldest<TArgument>(ItemPredicate<TArgument> match, TArgument argument, int count)
    {
        WorkItem[] items = Volatile.Read(ref _items);
        int head = Head;
        for (int index = head; unchecked(index - head) < count; index++)
        {
            WorkItem seen = Slot(items, index);
            if (match(in seen, argument))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The positions of the ring's head and tail. The removals are read first: one that happens in between is counted twice, so an item may seem
    /// younger than it is, never older.</summary>
    /// <param name="taken">At least how many items the owner had taken at the tail, read before.</param>
    public QueueSnapshot SnapshotOf(int taken)
    {
        int removed = unchecked(taken + Volatile.Read(ref _removed));
        int head = Volatile.Read(ref _head.Value);
        return new QueueSnapshot(head, Volatile.Read(ref _tail.Value), removed);
    }

    /// <summary>A snapshot of the waiting items, the oldest first: for a debugger. An item in motion may be missing.</summary>
    public WorkItem[] PendingItems()
    {
        WorkItem[] items = Volatile.Read(ref _items);
        int head = Volatile.Read(ref _head.Value);
        var pending = new List<WorkItem>();
        for (int left = Math.Min(Count, items.Length); left > 0; left--, head++)
        {
            WorkItem item = Slot(items, head);
            if (item.Callback is not null)
            {
                pending.Add(item);
            }
        }

        return [.. pending];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ref WorkItem Slot(WorkItem[] items, int index)
    {
        Debug.Assert(int.IsPow2(items.Length));
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(items), (nint)(uint)(index & (items.Length - 1)));
    }

    /// <summary>Takes an item out of its slot and leaves nothing behind.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Move(ref WorkItem slot, ref WorkItem item)
    {
        item.Callback = slot.Callback;
        item.State = slot.State;
        object? context = slot.Context;
        item.Context = context;
        slot.State = null;
        if (context is not null)
        {
            slot.Context = null;
        }

        Chaos.Point("WorkItemRing.Move, callback not yet cleared");
        // Last, and a release: to the pusher a slot without a callback is free.
        Volatile.Write(ref slot.Callback, null);
    }
}

/// <summary>Selects items of a queue.</summary>
internal delegate bool ItemPredicate<in TArgument>(in WorkItem item, TArgument argument);

/// <summary>The positions of a queue's head and tail. Positions count up as items are queued and taken, and wrap around; only differences mean
/// anything.</summary>
/// <param name="Head">The position of the oldest item.</param>
/// <param name="Tail">The position behind the newest item; the head's, if the queue is empty.</param>
/// <param name="Removed">
/// A lower bound of the items that have left at the tail or from the middle since the queue was created. Each has moved the
/// tail back by one.
/// </param>
internal readonly record struct QueueSnapshot(int Head, int Tail, int Removed)
{
    public bool IsEmpty => unchecked(Tail - Head) <= 0;
}
