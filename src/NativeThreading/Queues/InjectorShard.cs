using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>One shard of the injector queue. A thread always uses the same shard, so its items keep their order.</summary>
/// <remarks>Producers meet at a ticket counter that consumers never touch. A consumer polls the slot that the next item will be written to, so an
/// item passed singly moves one cache line in each direction. Consumers exclude each other by a lock that producers never touch. A consumer that
/// finds it held gives up. No item is stranded: the holder is a worker, which scans for more items and makes the next request itself.</remarks>
internal sealed partial class InjectorShard
{
    private static readonly Action<object?> s_removed = static _ => { };

    private ProducerSide _producers;
    private ConsumerSide _consumer;
    private int _removed; // holes between head and tail; under the consumer lock

    public InjectorShard()
    {
        var first = new InjectorSegment();
        _consumer = new ConsumerSide(first);
        _producers = new ProducerSide(first);
    }

    /// <inheritdoc cref="ConsumerSide.IsEmpty"/>
    public bool IsEmpty => _consumer.IsEmpty;

    /// <summary>Items inside at some moment.</summary>
    public long Count
    {
        get
        {
            long inRanges = Volatile.Read(ref _rangeItems); // first: see RemoveRange
            Chaos.Point("InjectorShard.Count, sum read");
            InjectorSegment first = Volatile.Read(ref _consumer.First);
            int head = Volatile.Read(ref _consumer.Head.Value);
            if (head < InjectorSegment.Size && first.RangeAt(head) is { } started)
            {
                // Of one in the middle only those are claimed that are counted singly. Of one that is not in the sum yet, because it came
                // later, no more than its slot is taken away: the items that wait after it are never missed.
                inRanges = Math.Max(inRanges - started.ClaimedUncounted, -1);
            }

            int removed = Volatile.Read(ref _removed); // between the two ends: an item that is queued and becomes a hole meanwhile is not subtracted from other items
            InjectorSegment last = _producers.Last;
            return Math.Max(0, inRanges + last.Base + last.Claimed - first.Base - head - removed);
        }
    }

    /// <summary>The positions of the shard's head and tail. Holes count as if all were at the head: so an item may seem younger than it is, never
    /// older.</summary>
    public QueueSnapshot Snapshot
    {
        get
        {
            InjectorSegment first = Volatile.Read(ref _consumer.First);
            long head = first.Base + Volatile.Read(ref _consumer.Head.Value) + Volatile.Read(ref _removed);
            InjectorSegment last = _producers.Last;
            return new QueueSnapshot(unchecked((int)head), unchecked((int)(last.Base + last.Claimed)), Removed: 0);
        }
    }

    /// <summary>Publishes an item and ends with a full fence: the caller then reads the state word, and must not do so before the item is visible.
    /// Pairs with the acknowledgement and the announcement of workers (T2, T63).</summary>
    /// <returns><see langword="false"/>: the shard is sealed, which those of pools never are.</returns>
    public bool Enqueue(Action<object?> callback, object? state, object? context) => Publish(callback, state, context);

    /// <summary>The same for an item whose callback and context others have as well.</summary>
    public bool Enqueue(RepeatedCall call, object? state) => Publish(call, state, context: null);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Publish(object call, object? state, object? context)
    {
        InjectorSegment? last = _producers.Last;
        Chaos.Point("InjectorShard.Publish, segment read");
        while (!last.TryAdd(call, state, context))
        {
            Chaos.Point("InjectorShard.Publish, segment full");
            last = _producers.Append(last);
            if (last is null)
            {
                return false;
            }
        }

        Chaos.Point("InjectorShard.Publish, published");
        Interlocked.MemoryBarrier();
        return true;
    }

    /// <summary>Moves up to half of the ready items, in order, into <paramref name="destination"/>, whose pusher is the caller. Returns how many.
    /// Also 0 while another consumer holds the lock, and where a range comes first.</summary>
    /// <param name="destination">Must be empty: the moved items are older than any item in it.</param>
    /// <param name="most">The most that is moved; never more than <see cref="QueueTuning.ShardBatch"/>.</param>
    /// <param name="batch">Records where the items are, if they are several.</param>
    /// <param name="range">A range that comes first. It stays where it is, and its items are claimed one by one.</param>
    /// <remarks>Never inlined: the frame of a worker's loop would keep the last item alive while later ones run.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int TryTransfer(WorkItemRing destination, int most, ref MovedBatch batch, out ItemRange? range)
    {
        range = null;
        if (!_consumer.TryEnter())
        {
            return 0;
        }

        range = RangeAtHead();
        if (range is not null)
        {
            _consumer.Exit();
            return 0;
        }

        most = Math.Min(most, QueueTuning.ShardBatch);
        int count = most == 1 ? 1 : (CountReady(2 * most) + 1) / 2;
        int moved = 0;
        WorkItem item = default;

        // A full destination ends the batch: growing it could fail with an item in hand.
        while (moved < count && destination.HasFreeSlot && TryTakeOldest(ref item))
        {
            destination.TryPush(item.Callback!, item.State, item.Context);
            moved++;
        }

        if (moved > 1)
        {
            batch.Begin(destination.Tail);
        }

        Counters.AddBatch(Counted.TransferSizes, moved);
        _consumer.Exit();
        return moved;
    }

    /// <summary>Takes the oldest item. <see langword="false"/> also while another consumer holds the lock.</summary>
    public bool TryTakeNow(ref WorkItem item)
    {
        if (!_consumer.TryEnter())
        {
            return false;
        }

        bool taken = TryTakeOldest(ref item);
        _consumer.Exit();
        return taken;
    }

    /// <summary>Takes the oldest item, and waits for the lock: for draining at shutdown.</summary>
    public bool TryTake(ref WorkItem item)
    {
        _consumer.Enter();
        bool taken = TryTakeOldest(ref item);
        _consumer.Exit();
        return taken;
    }

    /// <summary>Takes the oldest item that satisfies <paramref name="match"/>, out of order, also from behind a slot whose producer has not filled it
    /// yet: that one signals for the thread that takes in order, and knows nothing of the caller.</summary>
    /// <param name="match">The condition.</param>
    /// <param name="argument">What it gets.</param>
    /// <param name="item">What was taken.</param>
    /// <param name="isLastLook">
    /// The caller will not scan again by itself: it does not trust a read without the lock, because the shard seems empty while the
    /// first slot is not filled, and while a segment ends.
    /// </param>
    /// <remarks>Never inlined, as <see cref="TryTransfer"/>.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item, bool isLastLook = false)
    {
        if (!isLastLook && IsEmpty)
        {
            return false;
        }

        _consumer.Enter();
        try
        {
            for (var ready = new InjectorCursor(_consumer.First, _consumer.Head.Value); ready.FindFilled(); ready.MoveNext())
            {
                WorkItem found = ready.Item;
                if (!match(in found, argument))
                {
                    continue;
                }

                if (ready.Segment.RangeAt(ready.Ticket) is not { } range)
                {
                    item = found;
                    MakeHole(ready.Segment, ready.Ticket);
                    return true;
                }

                if (TryTakeFrom(range, ready.Segment, ready.Ticket, ref item))
                {
                    return true;
                }
            }

            return false;
        }
        finally
        {
            _consumer.Exit();
        }
    }

    /// <summary>Removes the holes at the head. If all workers wait for groups, no thread takes in order: each scan would pass over all that were
    /// made so far, and others would take them for items. As <see cref="RemoveSpent"/>, it may hide the items behind for a moment: the caller is a
    /// worker that then asks for help with the items that it sees.</summary>
    public void RemoveHoles()
    {
        if (Volatile.Read(ref _removed) == 0)
        {
            return;
        }

        Chaos.Point("InjectorShard.RemoveHoles");
        _consumer.Enter();
        while (_consumer.Head.Value != InjectorSegment.Size || MoveToNextSegment())
        {
            int head = _consumer.Head.Value;
            if (!_consumer.First.Holds(head, s_removed))
            {
                break;
            }

            // The head comes before the slot, as in RemoveRange.
            Volatile.Write(ref _consumer.Head.Value, head + 1);
            Chaos.Point("InjectorShard.RemoveHoles, head moved");
            _consumer.First.Clear(head);
            Volatile.Write(ref _removed, _removed - 1);
        }

        _consumer.Exit();
        Interlocked.MemoryBarrier();
    }

    /// <summary>Under the consumer lock.</summary>
    private bool TryTakeOldest(ref WorkItem item)
    {
        while (true)
        {
            int head = _consumer.Head.Value;
            if (head == InjectorSegment.Size)
            {
                if (!MoveToNextSegment())
                {
                    return false;
                }

                continue;
            }

            if (!_consumer.First.IsFilled(head))
            {
                return false;
            }

            if (_consumer.First.Holds(head, ItemRange.Entry))
            {
                if (TryTakeFromHead(head, ref item))
                {
                    return true;
                }

                continue;
            }

            Counters.Add(Counted.ShardTake);
            _consumer.First.Take(head, ref item);
            Chaos.Point("InjectorShard.TryTakeOldest, slot emptied");
            Volatile.Write(ref _consumer.Head.Value, head + 1);
            if (!ReferenceEquals(item.Callback, s_removed))
            {
                return true;
            }

            Volatile.Write(ref _removed, _removed - 1);
        }
    }

    private bool MoveToNextSegment()
    {
        InjectorSegment used = _consumer.First;
        InjectorSegment? next = used.Next;
        if (next is null)
        {
            return false;
        }

        // The index first: a poller that reads the new index with the old segment sees an emptied slot.
        Chaos.Point("InjectorShard.MoveToNextSegment, next one read");
        Volatile.Write(ref _consumer.Head.Value, 0);
        Chaos.Point("InjectorShard.MoveToNextSegment, head reset");
        Volatile.Write(ref _consumer.First, next);

        Chaos.Point("InjectorShard.MoveToNextSegment, left");
        _producers.Keep(used);
        return true;
    }

    /// <summary>Ready items from the head on and before the first range, counted up to a limit. Under the consumer lock.</summary>
    private int CountReady(int limit)
    {
        int count = 0;
        for (var ready = new InjectorCursor(_consumer.First, _consumer.Head.Value); count < limit && ready.IsFilled; ready.MoveNext())
        {
            if (ready.IsAtRange)
            {
                break;
            }

            count++;
        }

        return count;
    }

    /// <summary>A snapshot of the waiting items, the oldest first: for a debugger, which cannot take the lock. An item in motion may be
    /// missing.</summary>
    public WorkItem[] PendingItems()
    {
        var pending = new List<WorkItem>();
        int index = Volatile.Read(ref _consumer.Head.Value);
        for (InjectorSegment? segment = Volatile.Read(ref _consumer.First); segment is not null; segment = segment.Next, index = 0)
        {
            for (int claimed = segment.Claimed; index < claimed; index++)
            {
                WorkItem item = segment.ItemAt(index);
                if (item.Callback is not null && !ReferenceEquals(item.Callback, s_removed))
                {
                    pending.AddRange(ItemsIn(item));
                }
            }
        }

        return [.. pending];
    }

    /// <inheritdoc cref="ProducerSide.Trim"/>
    public void Trim() => _producers.Trim();
}
