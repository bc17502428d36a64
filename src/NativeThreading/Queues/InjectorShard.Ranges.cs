using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>
/// Ranges in a shard: a slot stands for several items. The slots count one for each range; the others are counted here.
/// </summary>
internal sealed partial class InjectorShard
{
    /// <summary>Items of all ranges inside that nobody has claimed, without the one that the slot of each counts for.</summary>
    private long _rangeItems;

    /// <summary>Publishes a range and ends with a full fence, as <see cref="Enqueue"/> does.</summary>
    public void EnqueueRange(ItemRange range)
    {
        InjectorSegment last = _producers.Last;
        int ticket;
        while (!last.TryClaim(out ticket))
        {
            Chaos.Point("InjectorShard.EnqueueRange, segment full");
            last = _producers.Append(last)!; // the shards of pools are never sealed
        }

        Chaos.Point("InjectorShard.EnqueueRange, claimed");

        // Behind the claim, which may run out of memory, and before anybody can see the range: it never counts for too few.
        Interlocked.Add(ref _rangeItems, range.Left - 1);
        Chaos.Point("InjectorShard.EnqueueRange, counted");
        last.Fill(ticket, ItemRange.Entry, range, range.Context);
        Chaos.Point("InjectorShard.EnqueueRange, published");
        Interlocked.MemoryBarrier();
    }

    /// <summary>The range in a slot, if there is one. Without the lock: one that has been there.</summary>
    private static ItemRange? RangeIn(ref WorkItem slot) =>
        ReferenceEquals(Volatile.Read(ref slot.Callback), ItemRange.Entry) ? slot.State as ItemRange : null;

    /// <summary>What a slot stands for: the item in it, or those that are left of a range.</summary>
    private static IEnumerable<WorkItem> ItemsIn(WorkItem slot) =>
        ReferenceEquals(slot.Callback, ItemRange.Entry) ? (slot.State as ItemRange)?.PendingItems() ?? [] : [slot];

    /// <summary>Whether a range is at the head. Under the consumer lock.</summary>
    private bool IsRangeAtHead() =>
        (_consumer.Head.Value != InjectorSegment.Size || MoveToNextSegment()) && RangeIn(ref _consumer.First.Slot(_consumer.Head.Value)) is not null;

    /// <summary>
    /// Claims a portion of the range at the head: half of what is left, so that others find as much, but no less than the smallest portion
    /// that is worth a look, and at most so many. Under the consumer lock.
    /// </summary>
    /// <remarks>Never inlined, as <see cref="TryTransfer"/>.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ClaimPortion(Portion portion, int most)
    {
        int head = _consumer.Head.Value;
        ItemRange range = RangeIn(ref _consumer.First.Slot(head))!;
        int count = Math.Min(most, Math.Max((range.Left + 1) / 2, Math.Min(range.Left, most / QueueTuning.LeastOfAPortion)));
        portion.Begin(range, range.Claim(count), count); // before it leaves the sum: its items may count twice for a moment, and never for too few
        Chaos.Point("InjectorShard.ClaimPortion, begun");
        RemoveClaimed(head, range, count);
        return count;
    }

    /// <summary>Takes one item of the range at the head. Under the consumer lock.</summary>
    /// <remarks>Never inlined, as <see cref="TryTransfer"/>.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TakeFromHead(int head, ref WorkItem item)
    {
        ItemRange range = RangeIn(ref _consumer.First.Slot(head))!;
        range.Take(range.Claim(1), ref item);
        RemoveClaimed(head, range, 1);
    }

    /// <summary>Takes what was claimed at the head out of the counts, and the entry with the last item.</summary>
    private void RemoveClaimed(int head, ItemRange range, int count)
    {
        if (range.Left == 0)
        {
            // The head comes before the slot: no emptied slot hides what lies behind it in this segment. The sum comes
            // last, and Count reads it first: so it may count the range's items once more, and never those of others less.
            Counters.Add(Counted.ShardTake);
            Volatile.Write(ref _consumer.Head.Value, head + 1);
            Chaos.Point("InjectorShard.RemoveClaimed, head moved");
            WorkItem entry = default;
            WorkItemRing.Move(ref _consumer.First.Slot(head), ref entry);
            Chaos.Point("InjectorShard.RemoveClaimed, slot emptied");
            count--;
        }

        Interlocked.Add(ref _rangeItems, -count);
    }

    /// <summary>Takes one item of a range anywhere in the shard. Under the consumer lock.</summary>
    private void TakeFrom(ItemRange range, ref WorkItem slot, ref WorkItem item)
    {
        range.Take(range.Claim(1), ref item);
        if (range.Left == 0)
        {
            MakeHole(ref slot);
        }
        else
        {
            Interlocked.Decrement(ref _rangeItems);
        }
    }

    /// <summary>The slot's item has been taken out of the middle. The consumer skips the hole later. Under the consumer lock.</summary>
    private void MakeHole(ref WorkItem slot)
    {
        slot.State = null;
        slot.Context = null;
        Volatile.Write(ref slot.Callback, s_removed);
        Volatile.Write(ref _removed, _removed + 1);
    }
}
