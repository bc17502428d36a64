using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>
/// The queues of one worker: its deque, its portion of a range, its lane, and the gate that guards all takes. The only code that knows that
/// there are three queues. Embedded in the worker; never copied.
/// </summary>
/// <remarks>This file has the calls of the worker's own thread; WorkerQueues.Others.cs has those of other threads.</remarks>
internal partial struct WorkerQueues
{
    private readonly WorkItemRing _deque = new();
    private readonly WorkItemRing _lane = new();
    private readonly Portion _portion = new(); // claimed while the lane was empty, so older than what is there
    private OwnerGate _gate;
    private MovedBatch _moved;

    public WorkerQueues()
    {
    }

    /// <summary>Items in all three queues: a snapshot.</summary>
    public readonly int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _deque.Count + _portion.Count + _lane.Count;
    }

    /// <summary>Items in the deque: a snapshot.</summary>
    public readonly int LocalCount => _deque.Count;

    /// <summary>Items of the portion: a snapshot.</summary>
    public readonly int PortionCount => _portion.Count;

    /// <summary>Items of the last moved batch that have not been taken. They are the portion, or the front of the lane.</summary>
    public readonly int HeldCount => _portion.Count is > 0 and int left ? left : Math.Min(unchecked(_moved.End - _lane.Head), _lane.Count);

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

    /// <summary>Takes the item that comes next: the newest local one, else the oldest of the portion, else that of the lane.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(ref WorkItem item)
    {
        _gate.Enter();
        bool taken = _deque.TryTakeNewest(ref item) || _portion.TryTake(ref item) || _lane.TryTakeOldest(ref item);
        _gate.Exit();
        return taken;
    }

    /// <summary>Takes the oldest item of the portion, else that of the lane, before the items of the deque.</summary>
    public bool TryTakeFromLane(ref WorkItem item)
    {
        _gate.Enter();
        bool taken = _portion.TryTake(ref item) || _lane.TryTakeOldest(ref item);
        _gate.Exit();
        return taken;
    }

    /// <summary>What runs the items of the portion, if there are any.</summary>
    public readonly (Action<object?>? Callback, object? Context) PortionKind => _portion.Kind;

    /// <summary>Takes the state of the portion's oldest item, or <see cref="Portion.Nothing"/>. For a caller that knows the rest.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TakeStateFromPortion()
    {
        _gate.Enter();
        object? state = _portion.TakeState();
        _gate.Exit();
        return state;
    }

    /// <summary>Takes the newest item that satisfies <paramref name="match"/>.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        _gate.Enter();
        try
        {
            return _deque.TryTakeMatching(match, argument, ref item)
                || _portion.TryTakeMatching(match, argument, ref item)
                || _lane.TryTakeMatching(match, argument, ref item);
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>
    /// Moves a batch of the injector queue into the lane, or claims a portion. Returns how many items. None while there is a portion, which a
    /// worker may still have that was to leave and then was not: another one has no place beside it.
    /// </summary>
    /// <inheritdoc cref="InjectorQueue.TryTransfer" path="/param"/>
    public int Fetch(InjectorQueue source, ref int start, int most) =>
        _portion.Count != 0 ? 0 : source.TryTransfer(ref start, _lane, _portion, most, ref _moved);

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
