using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>
/// One shard of the FIFO lane for threads that are not workers of the pool. A thread always uses the same shard, so
/// its items keep their order.
/// </summary>
/// <remarks>
/// A lock, held for one slot copy, and not a lock-free queue: all candidates cost a hundredth of a wake, and this one
/// can hand over a batch. Giving up on a held lock strands nothing: its holder is either a producer that signals
/// after its release, or a worker that looks for more after it.
/// </remarks>
internal sealed class ExternalLane
{
    /// <summary>The most a worker takes at once: enough to pay for the transfer, few enough to leave the rest fair.</summary>
    public const int MaxBatch = 32;

    private readonly WorkItemRing _items = new();
    private PaddedIndex _lock;

    /// <summary>Whether an item is there; a plain look, free to poll.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _items.Count == 0;
    }

    /// <summary>Items inside at some moment.</summary>
    public int Count => _items.Count;

    /// <summary>
    /// Publishes an item and ends with a full fence: the release of the lock is an exchange, so that the caller's
    /// following read of the state word cannot be satisfied before the item is visible. Pairs with the
    /// acknowledgement and the announcement of workers (T2, T63).
    /// </summary>
    public void Enqueue(Action<object?> callback, object? state, object? context)
    {
        Lock();
        try
        {
            if (!_items.TryPush(callback, state, context))
            {
                _items.Grow(); // may run out of memory: nothing has been published then
                _items.TryPush(callback, state, context);
            }
        }
        finally
        {
            Interlocked.Exchange(ref _lock.Value, 0);
        }
    }

    /// <summary>
    /// Moves up to half of the items, at most <see cref="MaxBatch"/>, in order into <paramref name="destination"/>,
    /// whose pusher is the caller. Returns how many; 0 also when the lock is held.
    /// </summary>
    public int TryTransfer(WorkItemRing destination)
    {
        if (_items.Count == 0 || Interlocked.CompareExchange(ref _lock.Value, 1, 0) != 0)
        {
            return 0;
        }

        int batch = Math.Min((_items.Count + 1) / 2, MaxBatch);
        int moved = 0;
        WorkItem item = default;

        // A destination without a free slot ends the batch: growing it could fail with an item in hand.
        while (moved < batch && destination.HasFreeSlot && _items.TryTakeOldest(ref item))
        {
            destination.TryPush(item.Callback!, item.State, item.Context);
            moved++;
        }

        Volatile.Write(ref _lock.Value, 0);
        return moved;
    }

    /// <summary>Takes one item, waiting for the lock: for draining at shutdown.</summary>
    public bool TryTake(ref WorkItem item)
    {
        Lock();
        bool taken = _items.TryTakeOldest(ref item);
        Volatile.Write(ref _lock.Value, 0);
        return taken;
    }

    /// <summary>Takes the newest item that satisfies <paramref name="match"/>.</summary>
    public bool TryTakeMatching<TArgument>(ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        if (IsEmpty)
        {
            return false;
        }

        Lock();
        bool taken = _items.TryTakeMatching(match, argument, ref item);
        Volatile.Write(ref _lock.Value, 0);
        return taken;
    }

    /// <summary>Copies the states of the items that satisfy <paramref name="match"/>.</summary>
    public void CopyStates<TArgument>(ItemPredicate<TArgument> match, TArgument argument, List<object?> destination)
    {
        Lock();
        _items.CopyStates(match, argument, destination);
        Volatile.Write(ref _lock.Value, 0);
    }

    private void Lock()
    {
        if (Interlocked.CompareExchange(ref _lock.Value, 1, 0) != 0)
        {
            LockContended();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LockContended()
    {
        var spinner = new SpinWait();
        do
        {
            // Look before the exchange, so that waiters share the line; yield, for the holder may be pre-empted (T60).
            do
            {
                spinner.SpinOnce(sleep1Threshold: -1);
            }
            while (Volatile.Read(ref _lock.Value) != 0);
        }
        while (Interlocked.CompareExchange(ref _lock.Value, 1, 0) != 0);
    }
}
