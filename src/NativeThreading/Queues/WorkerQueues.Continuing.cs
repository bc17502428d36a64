using System.Diagnostics;

namespace NativeThreading.Queues;

/// <summary>What rescue threads take from the queues of a worker that is blocked: what continues work that has started. These are all items of the
/// deque and, in the lane, those that items of the pool have queued. What a worker had moved there from the injector queue before it blocked lies in
/// front of them, and is checked item by item.</summary>
internal partial struct WorkerQueues
{
    /// <summary>Items at the front of the lane that came out of the injector queue: a snapshot.</summary>
    public readonly int OutsideCount => Math.Max(0, Math.Min(unchecked(_moved.OutsideEnd - _lane.Head), _lane.Count));

    /// <summary>Items that the pool's own items have queued: a snapshot.</summary>
    public readonly int ContinuingCount => _deque.Count + Math.Max(0, _lane.Count - OutsideCount);

    /// <summary>Whether there is anything to take: a snapshot.</summary>
    /// <param name="match">Which of the items that came out of the injector queue continue work.</param>
    /// <param name="argument">What it gets.</param>
    public readonly bool AnyContinuing<TArgument>(ItemPredicate<TArgument> match, TArgument argument) =>
        ContinuingCount != 0 || _lane.AnyOfOldest(match, argument, OutsideCount);

    /// <summary>Takes the oldest item that continues work. <see langword="false"/> also if the gate could not be entered, or if the owner is not
    /// blocked any more.</summary>
    /// <remarks>The owner is asked again inside the gate. It is still blocked then, or has not yet passed its own take that comes after it has noted
    /// that it runs again. So it moves nothing from the injector queue meanwhile, and <see cref="OutsideCount"/> is exact.</remarks>
    /// <param name="isBlocked">Whether the owner is blocked.</param>
    /// <param name="owner">What that gets.</param>
    /// <param name="match">Which of the items that came out of the injector queue continue work.</param>
    /// <param name="argument">What it gets.</param>
    /// <param name="demand">The calling thread's.</param>
    /// <param name="item">What was taken.</param>
    public bool TryTakeContinuing<TOwner, TArgument>(
        Predicate<TOwner> isBlocked, TOwner owner, ItemPredicate<TArgument> match, TArgument argument, Demand demand, ref WorkItem item)
    {
        if (_gate.Ask(demand, Stopwatch.GetTimestamp(), polls: 0) != GateAnswer.Entered)
        {
            return false;
        }

        try
        {
            Chaos.Point("WorkerQueues.TryTakeContinuing, inside");
            return isBlocked(owner) && (_deque.TryTakeOldest(ref item) || TryTakeFromLane(match, argument, OutsideCount, ref item));
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>As <see cref="WorkItemRing.TryTakeOldestMatching{TArgument}(ItemPredicate{TArgument}, TArgument, int, ref WorkItem, out int)"/>. Inside the gate.</summary>
    private bool TryTakeFromLane<TArgument>(ItemPredicate<TArgument> match, TArgument argument, int asked, ref WorkItem item)
    {
        int head = _lane.Head;
        bool taken = _lane.TryTakeOldestMatching(match, argument, asked, ref item, out int position);
        if (taken)
        {
            _moved.NoteMovedUp(position, head);
        }

        return taken;
    }
}
