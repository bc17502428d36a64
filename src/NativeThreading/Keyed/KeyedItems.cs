using NativeThreading.Queues;

namespace NativeThreading.Keyed;

/// <summary>A queue of items in segments that grow. One thread at a time uses it. When it is empty, it keeps its last segment.</summary>
internal struct KeyedItems
{
    private Segment? _oldest;
    private Segment? _newest;

    public readonly bool IsEmpty => _oldest is null || (_oldest.Head == _oldest.Tail && _oldest.Next is null);

    /// <summary>Makes room for one item.</summary>
    public void Reserve()
    {
        if (_newest is null)
        {
            _oldest = _newest = new Segment(QueueTuning.LeastKeyedSegment);
        }
        else if (_newest.Tail == _newest.Items.Length)
        {
            var segment = new Segment(Math.Min(2 * _newest.Items.Length, QueueTuning.MostKeyedSegment));
            _newest = _newest.Next = segment;
        }
    }

    /// <summary>Adds an item, for which there is room.</summary>
    public readonly void Add(in WorkItem item)
    {
        Segment newest = _newest!;
        newest.Items[newest.Tail] = item;
        newest.Tail++;
    }

    /// <summary>Takes the oldest item.</summary>
    public bool TryTake(out WorkItem item)
    {
        Segment? oldest = _oldest;
        if (oldest is { Next: { } next } && oldest.Head == oldest.Tail)
        {
            _oldest = oldest = next;
        }

        if (oldest is null || oldest.Head == oldest.Tail)
        {
            item = default;
            return false;
        }

        ref WorkItem slot = ref oldest.Items[oldest.Head];
        oldest.Head++;
        item = slot;
        slot = default;
        if (oldest.Head == oldest.Tail && oldest.Next is null)
        {
            oldest.Head = oldest.Tail = 0;
        }

        return true;
    }

    /// <summary>Calls an action with the items that are not callbacks. A snapshot, also for other threads.</summary>
    public readonly void ForEach(Action<KeyedItem?> action)
    {
        for (Segment? segment = _oldest; segment is not null; segment = segment.Next)
        {
            foreach (WorkItem work in segment.Items)
            {
                action(KeyedItem.From(work));
            }
        }
    }

    private sealed class Segment(int capacity)
    {
        public readonly WorkItem[] Items = new WorkItem[capacity];
        public int Head;
        public int Tail;
        public Segment? Next;
    }
}
