using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Queues;

/// <summary>The queues of one worker: its deque, its lane, and the gate that guards all takes. The only code that knows that there are two queues.
/// Embedded in the worker; never copied.</summary>
/// <remarks>This file has the calls of the worker's own thread; WorkerQueues.Others.cs has those of other threads.</remarks>
internal partial struct WorkerQueues
{
    private readonly WorkItemRing _deque = new();
    private readonly WorkItemRing _lane = new();
    private StealGate _gate;
    private MovedBatch _moved;

    public WorkerQueues() => _moved.Begin(since: 0, _lane.Tail, _lane.Tail);

    /// <summary>The gate, for tests.</summary>
    internal ref StealGate Gate
    {
        [UnscopedRef]
        get => ref _gate;
    }

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

    /// <summary>Publishes an item without a fence, and gives to a thief that asks. Never waits. <see langword="false"/>: the queue is full and cannot
    /// grow, because a thief is inside; the item is to be queued elsewhere.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        WorkItemRing ring = preferLocal ? _deque : _lane;
        if (!ring.TryPush(callback, state, context) && !TryGrowAndPush(ring, callback, state, context))
        {
            return false;
        }

        Counters.Add(preferLocal ? Counted.DequePush : Counted.LanePush);
        Chaos.Point("WorkerQueues.TryPush, pushed");
        if (_gate.IsAsked)
        {
            GiveFromPush();
        }

        return true;
    }

    /// <summary>Takes the item that comes next: the newest local one, else the oldest of the lane.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(ref WorkItem item)
    {
        bool asked = _gate.Enter();
        bool taken = _deque.TryTakeNewest(ref item) || _lane.TryTakeOldest(ref item);
        if (asked)
        {
            Give(); // after the take: the owner does not give away the only item, which it is about to run
        }

        _gate.Exit();
        return taken;
    }

    /// <summary>Takes the oldest item of the lane, or the newest local item: of the one queue alone.</summary>
    public bool TryTakeOf(bool lane, ref WorkItem item)
    {
        bool asked = _gate.Enter();
        bool taken = lane ? _lane.TryTakeOldest(ref item) : _deque.TryTakeNewest(ref item);
        if (asked)
        {
            Give();
        }

        _gate.Exit();
        return taken;
    }

    /// <summary>Takes the newest item that satisfies <paramref name="match"/>.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        bool taken = false;
        try
        {
            bool asked = _gate.Enter();
            try
            {
                taken = _deque.TryTakeMatching(match, argument, ref item);
                if (!taken && _lane.TryTakeMatching(match, argument, ref item, out int position))
                {
                    _moved.NoteMovedDown(position);
                    taken = true;
                }
            }
            finally
            {
                if (asked)
                {
                    Give();
                }

                _gate.Exit();
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. Items call this, and their threads may be aborted.
        }

        return taken;
    }

    /// <summary>Moves a batch of the injector queue into the lane, or finds a range there. Returns the size of the batch.</summary>
    /// <inheritdoc cref="InjectorQueue.TryTransfer" path="/param"/>
    public int Fetch(InjectorQueue source, ref int start, int most, out ItemRange? range) =>
        source.TryTransfer(ref start, _lane, most, ref _moved, out range);

    /// <summary>After a push, one attempt to give. Only if there are several items: the owner usually runs a lone one next, and a thief gets more at
    /// once if it waits for some more pushes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GiveFromPush()
    {
        if (Count < QueueTuning.LeastToGiveFromPush)
        {
            return;
        }

        try
        {
            if (_gate.TryServe())
            {
                Give();
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. The item that pushes may be aborted, and the thief would wait for it.
        }
    }

    /// <summary>Serves the request that was found at the gate.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Give()
    {
        StealRequest request = _gate.Served;
        try
        {
            if (request.IsGiven)
            {
                Counters.Add(Counted.Give);
                Chaos.Point("WorkerQueues.Give");
                request.TakeFrom(ref this);
                Chaos.Point("WorkerQueues.Give, given");
            }
        }
        finally
        {
            _gate.EndServing();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryGrowAndPush(WorkItemRing ring, Action<object?> callback, object? state, object? context)
    {
        bool pushed = false;
        try
        {
            if (!_gate.TryEnter(out bool asked))
            {
                return false;
            }

            try
            {
                // The ring may not be full: a thief may have been late in clearing the slot.
                if (!ring.HasFreeSlot)
                {
                    ring.Grow();
                }

                pushed = ring.TryPush(callback, state, context);
            }
            finally
            {
                if (asked)
                {
                    Give();
                }

                _gate.Exit();
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. As in GiveFromPush.
        }

        return pushed;
    }
}
