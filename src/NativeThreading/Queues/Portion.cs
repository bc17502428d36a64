using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>
/// Items of a range that a worker has claimed at once: a queue of that worker whose items stay where the range has them. So what is
/// moved is two numbers, and what two workers both write is written once for many items.
/// </summary>
/// <remarks>
/// As in a <see cref="WorkItemRing"/> there is one pusher, the owner, and takes exclude each other by the owner's gate. The owner begins a
/// portion outside the gate, when the one before it is empty.
/// </remarks>
internal sealed class Portion
{
    private ItemRange? _range; // null while empty
    private int _offset; // of an item in the range from its position here
    private PaddedIndex _tail = new() { Value = WorkItemRing.FirstIndex };
    private PaddedIndex _head = new() { Value = WorkItemRing.FirstIndex };

    /// <summary>What <see cref="TakeState"/> returns where there is no item.</summary>
    public static object Nothing { get; } = new();

    /// <summary>Items inside: a snapshot, exact for a caller that excludes takes and is the owner.</summary>
    public int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Math.Max(0, Volatile.Read(ref _tail.Value) - Volatile.Read(ref _head.Value));
    }

    /// <summary>Callback and context of the items, if there are any. For the owner: a thief may leave none of them meanwhile.</summary>
    /// <remarks>Never inlined, as <see cref="TakeState"/>.</remarks>
    public (Action<object?>? Callback, object? Context) Kind
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        get => Volatile.Read(ref _range) is { } range ? (range.Callback, range.Context) : default;
    }

    /// <summary>Where it begins and ends, by positions that count on from portion to portion.</summary>
    public QueueSnapshot Snapshot
    {
        get
        {
            int head = Volatile.Read(ref _head.Value);
            return new QueueSnapshot(head, Volatile.Read(ref _tail.Value), Removed: 0);
        }
    }

    /// <summary>Begins with items that the owner has claimed. The caller is the owner, and the portion is empty.</summary>
    public void Begin(ItemRange range, int first, int count)
    {
        // Nobody reads these two while the portion is empty.
        int tail = _tail.Value;
        Volatile.Write(ref _offset, first - tail);
        Volatile.Write(ref _range, range);
        Chaos.Point("Portion.Begin, not yet visible");

        // Release: a taker that sees the new tail sees what the items are.
        Volatile.Write(ref _tail.Value, tail + count);
    }

    /// <summary>Takes the oldest item. The caller excludes other takes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(ref WorkItem item) => Volatile.Read(ref _tail.Value) != _head.Value && Take(ref item);

    /// <summary>
    /// Takes the state of the oldest item, for a caller that knows the rest; or returns <see cref="Nothing"/>. The caller excludes other takes.
    /// </summary>
    /// <remarks>Never inlined: the frame of the caller would keep the range alive while the item runs (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public object? TakeState()
    {
        int head = _head.Value;
        if (head == Volatile.Read(ref _tail.Value))
        {
            return Nothing;
        }

        object? state = _range!.TakeState(head + _offset);
        MoveHead(head + 1);
        return state;
    }

    /// <summary>Gives the older half to a thief, at most so many, as a portion of its own. The caller excludes takes, and is the thief.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int GiveHalf(Portion thief, int most)
    {
        int head = _head.Value;
        int count = Math.Min((Count + 1) / 2, most);
        if (count != 0)
        {
            ItemRange range = _range!;
            MoveHead(head + count);
            Chaos.Point("Portion.GiveHalf, taken");
            thief.Begin(range, head + _offset, count);
        }

        return count;
    }

    /// <summary>Takes the oldest item if the items satisfy <paramref name="match"/>, which is shown their context. The caller excludes takes.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item) =>
        AnyContext(match, argument) && Take(ref item);

    /// <inheritdoc cref="WorkItemRing.AnyContext"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool AnyContext<TArgument>(ItemPredicate<TArgument> match, TArgument argument)
    {
        // The tail first: behind it the range of an item that stays can be seen. Pairs with the release in Begin.
        if (Count == 0 || Volatile.Read(ref _range) is not { } range)
        {
            return false;
        }

        var seen = new WorkItem { Context = range.Context };
        return match(in seen, argument);
    }

    /// <summary>A snapshot of the items, for a debugger. One that is taken meanwhile may be there without its state.</summary>
    public IEnumerable<WorkItem> PendingItems()
    {
        int count = Count;
        int first = Volatile.Read(ref _head.Value) + Volatile.Read(ref _offset);
        return count == 0 ? [] : Volatile.Read(ref _range)?.PendingItems(first, first + count) ?? [];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Take(ref WorkItem item)
    {
        int head = _head.Value;
        Chaos.Point("Portion.Take, not empty");
        _range!.Take(head + _offset, ref item);
        MoveHead(head + 1);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void MoveHead(int head)
    {
        // Before the head: once that has moved, the owner may begin the next portion.
        if (head == _tail.Value)
        {
            Volatile.Write(ref _range, null);
        }

        Chaos.Point("Portion.MoveHead, not yet moved");
        Volatile.Write(ref _head.Value, head);
    }
}
