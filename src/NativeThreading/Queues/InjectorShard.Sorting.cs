namespace NativeThreading.Queues;

/// <summary>Sorting a shard: one thread, the monitor, finds the items in it that continue work, or moves them into a separate shard. It reads
/// each slot once, so a million items in front of such an item cost it a million slots once, and nothing after that.</summary>
internal sealed partial class InjectorShard
{
    // Under the consumer lock: the slot that is read next, and its position in the shard. If the head has come there, the segment may be
    // in use again, for later items.
    private InjectorSegment? _sorted;
    private int _sortedIndex;
    private long _sortedPosition;

    /// <summary>Whether the last call of <see cref="Sort"/> has scanned all items. It has not if a producer has claimed a slot and not filled it, because
    /// items after that slot may be complete.</summary>
    public bool IsSorted { get; private set; }

    /// <summary>Scans the slots that it has not seen. It waits for no thread: if a consumer holds the lock, the next call continues.</summary>
    /// <param name="match">The items to find.</param>
    /// <param name="argument">What it gets.</param>
    /// <param name="destination">Where these are moved to; <see langword="null"/>: the call stops at the first of them, and so does the next one.</param>
    /// <param name="most">The most slots to scan. The call subtracts the slots that it has scanned.</param>
    /// <returns>Whether an item was found.</returns>
    public bool Sort<TArgument>(ItemPredicate<TArgument> match, TArgument argument, InjectorShard? destination, ref int most)
    {
        IsSorted = _consumer.IsEmpty && !new InjectorCursor(_consumer.First, _consumer.Head.Value).IsAwaited;
        if (most <= 0 || !_consumer.TryEnter())
        {
            return false;
        }

        bool found = false;
        try
        {
            int head = _consumer.Head.Value;
            if (_sorted is null || _sortedPosition <= _consumer.First.Base + head)
            {
                (_sorted, _sortedIndex) = (_consumer.First, head);
            }

            // It stops at a slot that is claimed and not filled, as those who take in order do: what its producer fills in later must not
            // lie before the place where the next call starts.
            var ready = new InjectorCursor(_sorted, _sortedIndex);
            for (; most > 0 && ready.IsFilled; ready.MoveNext(), most--)
            {
                (_sorted, _sortedIndex) = (ready.Segment, ready.Ticket);
                WorkItem item = ready.Item;
                if (match(in item, argument))
                {
                    found = true;
                    if (destination is null)
                    {
                        break;
                    }

                    Chaos.Point("InjectorShard.Sort, found");
                    destination.Enqueue(item.Callback!, item.State, item.Context); // first: memory may run out
                    MakeHole(ready.Segment, ready.Ticket);
                }

                _sortedIndex++;
            }

            _sortedPosition = _sorted.Base + _sortedIndex;
            IsSorted = most > 0 && !ready.IsAwaited;
            return found;
        }
        finally
        {
            _consumer.Exit();
        }
    }
}
