using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.Queues;

/// <summary>
/// One shard of the FIFO lane for threads that are not workers of the pool. A thread always uses the same shard, so
/// its items keep their order.
/// </summary>
/// <remarks>
/// <para>Producers meet at a ticket counter that consumers never touch; consumers poll the very slot that the next item
/// will be written to. An item that is handed over singly therefore moves one cache line in each direction. Consumers
/// exclude each other by a lock that producers never touch; whoever finds it held gives up, which strands nothing: its
/// holder is a worker that looks for more and asks for help itself.</para>
/// <para>Segments are used again: a lane in steady use allocates nothing. A producer that was delayed may claim a slot
/// of a segment that has meanwhile been emptied and reopened; it is the last segment then, as good as any.</para>
/// </remarks>
internal sealed partial class ExternalLane
{
    private static readonly Action<object?> s_removed = static _ => { };

    private readonly UninterruptedLock _appendLock = new();
    private SparePile _spares;
    private ExternalSegment _last;
    private ConsumerSide _consumer;
    private int _removed; // holes ahead of the head; under the consumer's lock

    private struct ConsumerSide
    {
        public PaddedIndex Lock;
        public PaddedIndex Head;
        public ExternalSegment First;
    }

    public ExternalLane()
    {
        _last = new ExternalSegment();
        _consumer.First = _last;
    }

    /// <summary>Whether no item is ready; one plain look at one slot, free to poll.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ExternalSegment first = Volatile.Read(ref _consumer.First);
            Chaos.Point("ExternalLane.IsEmpty, segment read");
            int head = Volatile.Read(ref _consumer.Head.Value);

            Chaos.Point("ExternalLane.IsEmpty, segment and head read");

            // The two may belong to different moments; then somebody is taking items right now and looks again himself.
            return head < ExternalSegment.Size ? !first.IsFilled(head) : first.Next is not { } next || !next.IsFilled(0);
        }
    }

    /// <summary>Items inside at some moment.</summary>
    public long Count
    {
        get
        {
            ExternalSegment first = Volatile.Read(ref _consumer.First);
            long taken = first.Base + Volatile.Read(ref _consumer.Head.Value);
            ExternalSegment last = Volatile.Read(ref _last);
            return Math.Max(0, last.Base + last.Claimed - taken - Volatile.Read(ref _removed));
        }
    }

    /// <summary>
    /// Where the lane begins and ends. Holes count as if all of them were at the head, which makes the oldest item seem
    /// younger, never older.
    /// </summary>
    public QueueSnapshot Snapshot
    {
        get
        {
            ExternalSegment first = Volatile.Read(ref _consumer.First);
            long head = first.Base + Volatile.Read(ref _consumer.Head.Value) + Volatile.Read(ref _removed);
            ExternalSegment last = Volatile.Read(ref _last);
            return new QueueSnapshot(unchecked((int)head), unchecked((int)(last.Base + last.Claimed)), Removed: 0);
        }
    }

    /// <summary>
    /// Publishes an item and ends with a full fence, so that the caller's following read of the state word cannot be
    /// satisfied before the item is visible. Pairs with the acknowledgement and the announcement of workers (T2, T63).
    /// </summary>
    /// <returns><see langword="false"/> where the lane is sealed; those of pools never are.</returns>
    public bool Enqueue(Action<object?> callback, object? state, object? context)
    {
        ExternalSegment? last = Volatile.Read(ref _last);
        Chaos.Point("ExternalLane.Enqueue, segment read");
        while (!last.TryAdd(callback, state, context))
        {
            Chaos.Point("ExternalLane.Enqueue, segment full");
            last = Append(last);
            if (last is null)
            {
                return false;
            }
        }

        Chaos.Point("ExternalLane.Enqueue, published");
        Interlocked.MemoryBarrier();
        return true;
    }

    /// <summary>
    /// Moves up to half of the items that are ready, in order, into <paramref name="destination"/>, whose pusher is the
    /// caller. Returns how many; 0 also when another worker is at it.
    /// </summary>
    /// <param name="destination">Empty, or what is moved would wait behind what is not as old.</param>
    /// <param name="most">The most that is moved; <see cref="QueueTuning.LaneBatch"/> bounds it.</param>
    /// <param name="batch">Says where the items are, if they are several.</param>
    public int TryTransfer(WorkItemRing destination, int most, ref MovedBatch batch)
    {
        if (!TryLock())
        {
            return 0;
        }

        most = Math.Min(most, QueueTuning.LaneBatch);
        int count = most == 1 ? 1 : (CountReady(2 * most) + 1) / 2;
        int moved = 0;
        WorkItem item = default;

        // A destination without a free slot ends the batch: growing it could fail with an item in hand.
        while (moved < count && destination.HasFreeSlot && TryTakeOldest(ref item))
        {
            destination.TryPush(item.Callback!, item.State, item.Context);
            moved++;
        }

        if (moved > 1)
        {
            batch.Begin(destination.Tail);
        }

        Unlock();
        return moved;
    }

    /// <summary>Takes the oldest item; <see langword="false"/> also when another worker is at it.</summary>
    public bool TryTakeNow(ref WorkItem item)
    {
        if (!TryLock())
        {
            return false;
        }

        bool taken = TryTakeOldest(ref item);
        Unlock();
        return taken;
    }

    /// <summary>Takes one item, waiting for the lock: for draining at shutdown.</summary>
    public bool TryTake(ref WorkItem item)
    {
        Lock();
        bool taken = TryTakeOldest(ref item);
        Unlock();
        return taken;
    }

    /// <summary>Takes the oldest item that satisfies <paramref name="match"/>, out of order.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        if (IsEmpty)
        {
            return false;
        }

        Lock();
        try
        {
            for (var ready = new ExternalCursor(_consumer.First, _consumer.Head.Value); ready.IsFilled; ready.MoveNext())
            {
                ref WorkItem slot = ref ready.Slot;
                if (match(in slot, argument))
                {
                    item = slot;
                    slot.State = null;
                    slot.Context = null;
                    Volatile.Write(ref slot.Callback, s_removed); // a hole that the next take steps over
                    Volatile.Write(ref _removed, _removed + 1);
                    return true;
                }
            }

            return false;
        }
        finally
        {
            Unlock();
        }
    }

    /// <summary>Copies the states of the items that satisfy <paramref name="match"/>.</summary>
    public void CopyStates<TArgument>(ItemPredicate<TArgument> match, TArgument argument, List<object?> destination)
    {
        Lock();
        try
        {
            for (var ready = new ExternalCursor(_consumer.First, _consumer.Head.Value); ready.IsFilled; ready.MoveNext())
            {
                if (match(in ready.Slot, argument))
                {
                    destination.Add(ready.Slot.State);
                }
            }
        }
        finally
        {
            Unlock(); // the list may find no memory to grow
        }
    }

    /// <summary>Under the consumer's lock.</summary>
    private bool TryTakeOldest(ref WorkItem item)
    {
        while (true)
        {
            int head = _consumer.Head.Value;
            if (head == ExternalSegment.Size)
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

            WorkItemRing.Move(ref _consumer.First.Slot(head), ref item);
            Chaos.Point("ExternalLane.TryTakeOldest, slot emptied");
            Volatile.Write(ref _consumer.Head.Value, head + 1);
            if (item.Callback != s_removed)
            {
                return true;
            }

            Volatile.Write(ref _removed, _removed - 1);
        }
    }

    private bool MoveToNextSegment()
    {
        ExternalSegment used = _consumer.First;
        ExternalSegment? next = used.Next;
        if (next is null)
        {
            return false;
        }

        // The index first: a poller that combines the new index with the old segment looks at an emptied slot.
        Chaos.Point("ExternalLane.MoveToNextSegment, next one read");
        Volatile.Write(ref _consumer.Head.Value, 0);
        Chaos.Point("ExternalLane.MoveToNextSegment, head reset");
        Volatile.Write(ref _consumer.First, next);

        // All its slots were filled and emptied, so nobody writes to it any more: kept for a later append.
        Chaos.Point("ExternalLane.MoveToNextSegment, left");
        _spares.Push(used);
        return true;
    }

    /// <summary>Items ready from the head on, counted up to a limit. Under the consumer's lock.</summary>
    private int CountReady(int limit)
    {
        int count = 0;
        for (var ready = new ExternalCursor(_consumer.First, _consumer.Head.Value); count < limit && ready.IsFilled; ready.MoveNext())
        {
            count++;
        }

        return count;
    }

    /// <summary>
    /// What waits, the oldest first, by plain looks: for a debugger, which cannot have the lock. An item that is being
    /// moved may be missing.
    /// </summary>
    public PendingItemView[] PendingItems()
    {
        var views = new List<PendingItemView>();
        int index = Volatile.Read(ref _consumer.Head.Value);
        for (ExternalSegment? segment = Volatile.Read(ref _consumer.First); segment is not null; segment = segment.Next, index = 0)
        {
            for (int claimed = segment.Claimed; index < claimed; index++)
            {
                WorkItem item = segment.Slot(index);
                if (item.Callback is not null && item.Callback != s_removed)
                {
                    views.Add(new PendingItemView(in item));
                }
            }
        }

        return [.. views];
    }

    /// <summary>Gives back the memory of an earlier backlog.</summary>
    public void Trim()
    {
        using (_appendLock.EnterScope())
        {
            _spares.Clear();
        }
    }

    /// <summary>Where to try next; <see langword="null"/>: nowhere, for the lane is sealed.</summary>
    private ExternalSegment? Append(ExternalSegment full)
    {
        using (_appendLock.EnterScope())
        {
            if (_isSealed)
            {
                _last.StaySealed();
                return null;
            }

            // The second test is for a producer that was delayed before the lock: meanwhile the segment it found full may
            // have been emptied, reopened and become the last one again. To append now would strand its free slots.
            if (_last != full || full.Claimed < ExternalSegment.Size)
            {
                return _last;
            }

            // Reopened under the lock and linked before it is left, so that a slot claimed by a late comer is never in
            // a segment that the consumer will not reach.
            ExternalSegment next = _spares.TryTake() ?? NewSegment();
            next.Reopen(full.Base + ExternalSegment.Size);
            Chaos.Point("ExternalLane.Append, reopened");
            full.Next = next;
            Chaos.Point("ExternalLane.Append, linked");
            Volatile.Write(ref _last, next);
            return next;
        }
    }

    private static ExternalSegment NewSegment()
    {
        Growth.Begin("segment");
        return new ExternalSegment();
    }

    private bool TryLock() => !IsEmpty && Interlocked.CompareExchange(ref _consumer.Lock.Value, 1, 0) == 0;

    private void Lock()
    {
        var spin = default(UninterruptedSpin);
        while (Interlocked.CompareExchange(ref _consumer.Lock.Value, 1, 0) != 0)
        {
            spin.Once(); // yields: the holder may be pre-empted (T31, T60)
        }
    }

    private void Unlock()
    {
        Chaos.Point("ExternalLane.Unlock");
        Volatile.Write(ref _consumer.Lock.Value, 0);
    }
}
