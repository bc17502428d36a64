using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>What other threads do with a worker's queues: steal, empty, read.</summary>
internal partial struct WorkerQueues
{
    /// <summary>Moves items as the request wants, by the hand of the owner or of the caller. <see langword="false"/>: nothing was moved.</summary>
    /// <param name="request">The calling worker's.</param>
    /// <param name="now">The time.</param>
    public bool TryStealFor(StealRequest request, long now)
    {
        GateAnswer answer = _gate.Ask(request, now, SpinTuning.AskPolls);
        if (answer == GateAnswer.Entered)
        {
            try
            {
                Chaos.Point("WorkerQueues.TryStealFor, inside");
                request.TakeFrom(ref this);
            }
            finally
            {
                _gate.Leave();
            }
        }

        return request.Moved != 0;
    }

    /// <summary>Moves the oldest item of the lane, else of the deque, to the tail of the thief's deque: the thief takes it from there next. If the
    /// deque is full, to its lane. The caller excludes takes, and the thief is in <see cref="TryStealFor"/>.</summary>
    public readonly int MoveFront(ref WorkerQueues thief)
    {
        WorkItemRing destination = thief._deque.HasFreeSlot ? thief._deque : thief._lane;
        int moved = Move(_lane, destination, 1);
        return moved != 0 ? moved : Move(_deque, destination, 1);
    }

    /// <summary>Moves up to half of the items of one queue, oldest first, into the same queue of the thief, so local items stay local. The thief's
    /// queues are empty. The lane comes before the deque: its items are older. The caller excludes takes, and the thief is in <see
    /// cref="TryStealFor"/>.</summary>
    /// <param name="thief">The queues of the thief.</param>
    /// <param name="most">
    /// The most items of the lane. They have an order, and those that are moved wait while the thief runs the first.
    /// </param>
    /// <param name="localFirst">The deque before the lane.</param>
    public Stolen MoveHalf(ref WorkerQueues thief, int most, bool localFirst)
    {
        Stolen stolen = localFirst ? MoveLocal(ref thief) : MoveLane(ref thief, most);
        stolen = stolen.Count != 0 ? stolen : localFirst ? MoveLane(ref thief, most) : MoveLocal(ref thief);
        Counters.Add(Counted.StolenItem, stolen.Count);
        Counters.AddBatch(Counted.StealSizes, stolen.Count);
        return stolen;
    }

    /// <summary>Takes the oldest item that satisfies <paramref name="match"/>, by its context, and by force. The others stay in order.</summary>
    /// <param name="match">Which items.</param>
    /// <param name="argument">Its argument.</param>
    /// <param name="demand">The calling thread's.</param>
    /// <param name="item">The item.</param>
    public bool TryTakeOldestMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, Demand demand, ref WorkItem item)
    {
        if (!AnyContext(match, argument)) // first without the gate, which costs a process-wide barrier
        {
            return false;
        }

        bool taken = false;
        try
        {
            _gate.EnterByForce(demand);
            try
            {
                Chaos.Point("WorkerQueues.TryTakeOldestMatching, inside");
                taken = _deque.TryTakeOldestMatching(match, argument, ref item) || TryTakeFromLane(match, argument, int.MaxValue, ref item);
            }
            finally
            {
                _gate.Leave();
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. Items call this, and their threads may be aborted.
        }

        return taken;
    }

    /// <inheritdoc cref="WorkItemRing.AnyContext"/>
    public readonly bool AnyContext<TArgument>(ItemPredicate<TArgument> match, TArgument argument) =>
        _deque.AnyContext(match, argument) || _lane.AnyContext(match, argument);

    /// <summary>Takes all items, by force. Waits for the owner to leave its gate: nanoseconds, once the owner has a processor.</summary>
    public void TakeAll(List<WorkItem> destination)
    {
        while (Count != 0)
        {
            _gate.EnterByForce(new Demand());
            try
            {
                WorkItem item = default;
                while (_lane.TryTakeOldest(ref item) || _deque.TryTakeOldest(ref item))
                {
                    destination.Add(item);
                }
            }
            finally
            {
                _gate.Leave();
            }
        }
    }

    /// <summary>A snapshot of the items in both queues, for a debugger.</summary>
    public readonly WorkItem[] PendingItems() => [.. _deque.PendingItems(), .. _lane.PendingItems()];

    /// <summary>The positions of each queue's head and tail. The owner also takes at the tail of its deque: at most as many items as it completes. So while it
    /// completes none, it has taken none.</summary>
    /// <param name="completed">Items that the owner has completed, read before.</param>
    public readonly (object Queue, QueueSnapshot Snapshot)[] Snapshots(long completed) =>
        [(_deque, _deque.SnapshotOf(taken: unchecked((int)completed))), (_lane, _lane.SnapshotOf(taken: 0))];

    private readonly Stolen MoveLocal(ref WorkerQueues thief) => new(Move(_deque, thief._deque, QueueTuning.LocalSteal), IsBatch: false);

    /// <summary>The moved items are older than those that stay: they become a batch of the thief.</summary>
    private Stolen MoveLane(ref WorkerQueues thief, int most)
    {
        bool divides = HeldCount > 0;
        int outside = OutsideCount;
        int tail = thief._lane.Tail;
        int moved = Move(_lane, thief._lane, most);
        if (moved > 1)
        {
            int outsideEnd = unchecked(tail + Math.Min(outside, moved));
            thief._moved.Begin(divides ? _moved.Divide() : Stopwatch.GetTimestamp(), thief._lane.Tail, outsideEnd);
        }

        return new Stolen(moved, IsBatch: moved > 1);
    }

    // Never inlined: the frame of a worker's loop would keep the last item alive while later ones run.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Move(WorkItemRing source, WorkItemRing destination, int most)
    {
        int batch = Math.Min((source.Count + 1) / 2, most);
        int moved = 0;
        WorkItem item = default;

        // The slot is reserved before the take: memory must not run out with an item in hand. The thief owns the destination and is
        // at the gate, so no other thread pushes there.
        while (moved < batch && destination.HasFreeSlot && source.TryTakeOldest(ref item))
        {
            destination.TryPush(item.Callback!, item.State, item.Context);
            moved++;
        }

        return moved;
    }

    /// <param name="Count">Items that were moved.</param>
    /// <param name="IsBatch">Whether the thief now holds them as a batch.</param>
    internal readonly record struct Stolen(int Count, bool IsBatch);
}
