using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>Ranges in a shard: a slot stands for several items. The slots count one for each range; the others are counted here.</summary>
internal sealed partial class InjectorShard
{
    /// <summary>Items of all ranges inside that the slots do not count. Those of the range at the head are among them until the range is
    /// removed.</summary>
    private long _rangeItems;

    /// <summary>Publishes a range and ends with a full fence, as <see cref="Enqueue(Action{object?}, object?, object?)"/> does.</summary>
    public void EnqueueRange(ItemRange range)
    {
        range.Shard = this;
        InjectorSegment last = _producers.Last;
        int ticket;
        while (!last.TryClaim(out ticket))
        {
            Chaos.Point("InjectorShard.EnqueueRange, segment full");
            last = _producers.Append(last)!; // the shards of pools are never sealed
        }

        Chaos.Point("InjectorShard.EnqueueRange, claimed");

        // Behind the claim, which may run out of memory, and before any thread can see the range: it never counts for too few.
        Interlocked.Add(ref _rangeItems, range.Count - 1);
        Chaos.Point("InjectorShard.EnqueueRange, counted");
        last.Fill(ticket, ItemRange.Entry, range, range.Context);
        Chaos.Point("InjectorShard.EnqueueRange, published");
        Interlocked.MemoryBarrier();
    }

    /// <summary>Removes the ranges at the head that have no item left. Waits for the lock, which other threads hold briefly. If that ends a segment, the
    /// shard seems empty for a moment, so the caller then scans for the items after it, as a thread that takes an item does: this ends with a full fence, which
    /// pairs with that of an announcement.</summary>
    /// <remarks>Never inlined: it meets the next range, which the frame that runs the last item would keep alive (T149).</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RemoveSpent()
    {
        Chaos.Point("InjectorShard.RemoveSpent");
        _consumer.Enter();
        RangeAtHead();
        _consumer.Exit();
        Interlocked.MemoryBarrier();
    }

    /// <summary>What a slot stands for: the item in it, or those that are left of a range.</summary>
    private static IEnumerable<WorkItem> ItemsIn(WorkItem slot) =>
        ReferenceEquals(slot.Callback, ItemRange.Entry) ? (slot.State as ItemRange)?.PendingItems() ?? [] : [slot];

    /// <summary>The range at the head that has items left, if there is one. Under the consumer lock.</summary>
    private ItemRange? RangeAtHead()
    {
        while (_consumer.Head.Value != InjectorSegment.Size || MoveToNextSegment())
        {
            int head = _consumer.Head.Value;
            ItemRange? range = _consumer.First.RangeAt(head);
            if (range is null || !range.IsSpent)
            {
                return range;
            }

            RemoveRange(head, range);
        }

        return null;
    }

    /// <summary>Takes one item of the range at the head. <see langword="false"/>: none was left, and the next slot is the head. Under the consumer
    /// lock.</summary>
    /// <remarks>Never inlined, as <see cref="TryTransfer"/>.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryTakeFromHead(int head, ref WorkItem item)
    {
        ItemRange range = _consumer.First.RangeAt(head)!;
        bool taken = range.TryClaim(ref item);
        if (range.IsSpent)
        {
            RemoveRange(head, range);
        }

        return taken;
    }

    private void RemoveRange(int head, ItemRange range)
    {
        // The head comes before the slot: no emptied slot hides the items behind it in this segment. The sum comes
        // last, and Count reads it first: so it may count the range's items once more, and never those of others less.
        Counters.Add(Counted.ShardTake);
        Volatile.Write(ref _consumer.Head.Value, head + 1);
        Chaos.Point("InjectorShard.RemoveRange, head moved");
        WorkItem entry = default;
        _consumer.First.Take(head, ref entry);
        Chaos.Point("InjectorShard.RemoveRange, slot emptied");
        Interlocked.Add(ref _rangeItems, -range.Uncounted);
    }

    /// <summary>Takes one item of a range anywhere in the shard. Under the consumer lock.</summary>
    private bool TryTakeFrom(ItemRange range, InjectorSegment segment, int ticket, ref WorkItem item)
    {
        if (!range.TryClaim(ref item))
        {
            return false;
        }

        if (range.IsSpent)
        {
            MakeHole(segment, ticket);
            Interlocked.Add(ref _rangeItems, -range.Uncounted);
        }
        else
        {
            range.CountSingly(); // before the sum: see Count
            Interlocked.Decrement(ref _rangeItems);
        }

        return true;
    }

    /// <summary>The slot's item has been taken out of the middle. The consumer skips the hole later. Under the consumer lock.</summary>
    private void MakeHole(InjectorSegment segment, int ticket)
    {
        segment.Replace(ticket, s_removed);
        Volatile.Write(ref _removed, _removed + 1);
    }
}
