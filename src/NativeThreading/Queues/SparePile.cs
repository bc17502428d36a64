namespace NativeThreading.Queues;

/// <summary>
/// Emptied segments that a lane keeps for later: a pile without a lock, linked through the segments. It allocates nothing and
/// nobody waits at it, for whoever pushes holds a lock that no exception would give back.
/// </summary>
/// <remarks>
/// One thread pushes at a time, under the lane's lock of consumers, and one takes, under its lock for appending. Pushing beside
/// a taker is safe because what it takes comes back only much later, by way of the lane.
/// </remarks>
internal struct SparePile
{
    private ExternalSegment? _top;

    /// <summary>Puts one on top, unless the pile is high enough. Under the lock of consumers.</summary>
    public void Push(ExternalSegment segment)
    {
        ExternalSegment? top = Volatile.Read(ref _top);
        while (segment.TryPutOnTop(top, Mechanisms.If(Mechanisms.SpareSegments, QueueTuning.SpareSegments)))
        {
            ExternalSegment? seen = Interlocked.CompareExchange(ref _top, segment, top);
            if (seen == top)
            {
                return;
            }

            top = seen;
        }
    }

    /// <summary>Takes the top one; <see langword="null"/> where there is none. Under the lock for appending.</summary>
    public ExternalSegment? TryTake()
    {
        ExternalSegment? top = Volatile.Read(ref _top);
        while (top is not null)
        {
            ExternalSegment? seen = Interlocked.CompareExchange(ref _top, top.Below, top);
            if (seen == top)
            {
                top.LeavePile();
                return top;
            }

            top = seen;
        }

        return null;
    }

    /// <summary>Lets all go; one that is pushed at this moment goes with them, or stays. Under the lock for appending.</summary>
    public void Clear() => Volatile.Write(ref _top, null);
}
