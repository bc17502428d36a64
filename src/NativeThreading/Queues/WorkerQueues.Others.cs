using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Waiting;

namespace NativeThreading.Queues;

/// <summary>What other threads do with a worker's queues: steal, empty, read.</summary>
internal partial struct WorkerQueues
{
    /// <summary>
    /// Takes the oldest item of the lane, else of the deque. <see langword="false"/> also if the gate could not be entered.
    /// </summary>
    public bool TryTakeFront(ref WorkItem item)
    {
        if (!_gate.TryRevoke())
        {
            return false;
        }

        bool taken = _lane.TryTakeOldest(ref item) || _deque.TryTakeOldest(ref item);
        _gate.EndRevocation();
        return taken;
    }

    /// <summary>
    /// Moves up to half of the items of one queue, oldest first, into the same queue of the thief, so local items stay local.
    /// The thief is the caller, and its queues are empty. The lane comes before the deque: its items are older.
    /// </summary>
    /// <param name="thief">The queues of the calling worker.</param>
    /// <param name="most">
    /// The most items of the lane. They have an order, and those that are moved wait while the thief runs the first.
    /// </param>
    /// <param name="localFirst">The deque before the lane.</param>
    /// <returns>What was moved; nothing also if the gate could not be entered.</returns>
    public Stolen TryStealInto(ref WorkerQueues thief, int most, bool localFirst)
    {
        if (Count == 0 || !_gate.TryRevoke())
        {
            return default;
        }

        try
        {
            Chaos.Point("WorkerQueues.TryStealInto, inside");
            Stolen stolen = localFirst ? StealLocal(ref thief) : StealLane(ref thief, most);
            stolen = stolen.Count != 0 ? stolen : localFirst ? StealLane(ref thief, most) : StealLocal(ref thief);
            Counters.Add(Counted.StolenItem, stolen.Count);
            Counters.AddBatch(Counted.StealSizes, stolen.Count);
            return stolen;
        }
        finally
        {
            _gate.EndRevocation();
        }
    }

    /// <summary>
    /// Takes the oldest item that satisfies <paramref name="match"/>, as a thief, by its context. The others stay in order. Waits for others
    /// at the gate, as <see cref="TakeAll"/> does.
    /// </summary>
    public bool TryTakeOldestMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        var spin = default(UninterruptedSpin);
        while (AnyContext(match, argument)) // first without the gate, which costs a process-wide barrier
        {
            if (!_gate.TryRevoke())
            {
                spin.Once();
                continue;
            }

            try
            {
                Chaos.Point("WorkerQueues.TryTakeOldestMatching, inside");
                return _deque.TryTakeOldestMatching(match, argument, ref item) || TryTakeFromLane(match, argument, int.MaxValue, ref item);
            }
            finally
            {
                _gate.EndRevocation();
            }
        }

        return false;
    }

    /// <inheritdoc cref="WorkItemRing.AnyContext"/>
    public readonly bool AnyContext<TArgument>(ItemPredicate<TArgument> match, TArgument argument) =>
        _deque.AnyContext(match, argument) || _lane.AnyContext(match, argument);

    /// <summary>
    /// Takes all items, as a thief. Waits for the owner to leave its gate: nanoseconds, once the owner has a processor.
    /// </summary>
    public void TakeAll(List<WorkItem> destination)
    {
        var spin = default(UninterruptedSpin);
        while (Count != 0)
        {
            if (!_gate.TryRevoke())
            {
                spin.Once();
                continue;
            }

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
                _gate.EndRevocation();
            }
        }
    }

    /// <summary>Copies the states of matching items, for debuggers; none if the gate cannot be entered.</summary>
    public void CopyStates<TArgument>(ItemPredicate<TArgument> match, TArgument argument, List<object?> destination)
    {
        if (_gate.TryRevoke())
        {
            try
            {
                _deque.CopyStates(match, argument, destination);
                _lane.CopyStates(match, argument, destination);
            }
            finally
            {
                _gate.EndRevocation();
            }
        }
    }

    /// <summary>A snapshot of the items in both queues, for a debugger.</summary>
    public readonly WorkItem[] PendingItems() => [.. _deque.PendingItems(), .. _lane.PendingItems()];

    /// <summary>
    /// Where each queue begins and ends. The owner also takes at the tail of its deque: at most as many items as it completes.
    /// So while it completes none, it has taken none.
    /// </summary>
    /// <param name="completed">Items that the owner has completed, read before.</param>
    public readonly (object Queue, QueueSnapshot Snapshot)[] Snapshots(long completed) =>
        [(_deque, _deque.SnapshotOf(taken: unchecked((int)completed))), (_lane, _lane.SnapshotOf(taken: 0))];

    private readonly Stolen StealLocal(ref WorkerQueues thief) => new(Move(_deque, thief._deque, QueueTuning.LocalSteal), IsBatch: false);

    /// <summary>The moved items are older than those that stay: they become a batch of the thief.</summary>
    private Stolen StealLane(ref WorkerQueues thief, int most)
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

        // The slot is looked for before the take: memory must not run out with an item in hand. The caller owns the
        // destination, so nobody else pushes there.
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
