namespace NativeThreading.Queues;

/// <summary>Emptied segments that a shard keeps for later: a lock-free stack, linked through the segments. Pushing neither allocates nor waits: the
/// pusher holds the consumer lock, and an exception would leave it held.</summary>
/// <remarks>One thread pushes at a time, under the shard's consumer lock, and one takes, under its append lock. A push next to a take is safe (no
/// ABA): a taken segment comes back only after the shard has filled and emptied it.</remarks>
internal struct SparePile
{
    private InjectorSegment? _top;

    /// <summary>Pushes a segment, unless the pile is full. Under the consumer lock.</summary>
    public void Push(InjectorSegment segment)
    {
        InjectorSegment? top = Volatile.Read(ref _top);
        while (segment.TryPutOnTop(top, QueueTuning.SpareSegments))
        {
            InjectorSegment? seen = Interlocked.CompareExchange(ref _top, segment, top);
            if (seen == top)
            {
                return;
            }

            top = seen;
        }
    }

    /// <summary>Takes the top segment; <see langword="null"/>: there is none. Under the append lock.</summary>
    public InjectorSegment? TryTake()
    {
        InjectorSegment? top = Volatile.Read(ref _top);
        while (top is not null)
        {
            InjectorSegment? seen = Interlocked.CompareExchange(ref _top, top.Below, top);
            if (seen == top)
            {
                top.LeavePile();
                return top;
            }

            top = seen;
        }

        return null;
    }

    /// <summary>Drops all. A segment pushed at this moment is dropped too, or stays. Under the append lock.</summary>
    public void Clear() => Volatile.Write(ref _top, null);
}
