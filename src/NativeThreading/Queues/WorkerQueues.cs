using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>
/// The queues of one worker: its deque, its lane, and the gate that guards all takes. The only code that knows that there are
/// two queues. Embedded in the worker; never copied.
/// </summary>
/// <remarks>This file has the calls of the worker's own thread; WorkerQueues.Others.cs has those of other threads.</remarks>
internal partial struct WorkerQueues
{
    private readonly WorkItemRing _deque = new();
    private readonly WorkItemRing _lane = new();
    private OwnerGate _gate;
    private MovedBatch _moved;

    public WorkerQueues() => _moved.Begin(since: 0, _lane.Tail, _lane.Tail);

    /// <summary>Items in both queues: a snapshot.</summary>
    public readonly int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _deque.Count + _lane.Count;
    }

    /// <summary>Items in the deque: a snapshot.</summary>
    public readonly int LocalCount => _deque.Count;

    /// <summary>Items of the last moved batch that have not been taken. They are the front of the lane.</summary>
    public readonly int HeldCount => Math.Min(unchecked(_moved.End - _lane.Head), _lane.Count);

    /// <summary>When the last batch was moved.</summary>
    public readonly long HeldSince => _moved.Since;

    /// <summary>Publishes an item without a fence, and answers a thief that waits at the gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Push(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        Counters.Add(preferLocal ? Counted.DequePush : Counted.LanePush);
        WorkItemRing ring = preferLocal ? _deque : _lane;
        if (!ring.TryPush(callback, state, context))
        {
            GrowAndPush(ring, callback, state, context);
        }

        Chaos.Point("WorkerQueues.Push, pushed");
        _gate.Acknowledge();
    }

    /// <summary>Takes the item that comes next: the newest local one, else the oldest of the lane.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(ref WorkItem item)
    {
        _gate.Enter();
        bool taken = _deque.TryTakeNewest(ref item) || _lane.TryTakeOldest(ref item);
        _gate.Exit();
        return taken;
    }

    /// <summary>Takes the oldest item of the lane, before the items of the deque.</summary>
    public bool TryTakeFromLane(ref WorkItem item)
    {
        _gate.Enter();
        bool taken = _lane.TryTakeOldest(ref item);
        _gate.Exit();
        return taken;
    }

    /// <summary>Takes the newest item that satisfies <paramref name="match"/>.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        _gate.Enter();
        try
        {
            if (_deque.TryTakeMatching(match, argument, ref item))
            {
                return true;
            }

            bool taken = _lane.TryTakeMatching(match, argument, ref item, out int position);
            if (taken)
            {
                _moved.NoteMovedDown(position);
            }

            return taken;
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Moves a batch of the injector queue into the lane, or finds a range there. Returns the size of the batch.</summary>
    /// <inheritdoc cref="InjectorQueue.TryTransfer" path="/param"/>
    public int Fetch(InjectorQueue source, ref int start, int most, out ItemRange? range) =>
        source.TryTransfer(ref start, _lane, most, ref _moved, out range);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowAndPush(WorkItemRing ring, Action<object?> callback, object? state, object? context)
    {
        _gate.Enter();
        try
        {
            // The ring may not be full: a thief may have been late in clearing the slot.
            if (!ring.HasFreeSlot)
            {
                ring.Grow();
            }

            ring.TryPush(callback, state, context);
        }
        finally
        {
            _gate.Exit();
        }
    }
}
