using System.Globalization;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// One worker: a thread, its two queues (a LIFO deque for local items, a FIFO lane for the global order) and the gate
/// that guards taking from them.
/// </summary>
internal sealed unsafe partial class Worker
{
    [ThreadStatic]
    private static Worker? t_current;

    private readonly NativeThreadPool _pool;
    private readonly WorkerSignal _signal;
    private readonly ulong* _word;
    private readonly WorkItemRing _deque = new();
    private readonly WorkItemRing _lane = new();
    private OwnerGate _gate;
    private OwnCounter _completed;

    public Worker(NativeThreadPool pool, int index)
    {
        _pool = pool;
        UnlimitedPool = pool.Places is null ? pool : null;
        _signal = pool.Signal;
        _word = _signal.WordAddress;
        Index = index;
        Name = string.Concat(pool.Name, "-worker-", index.ToString(CultureInfo.InvariantCulture)); // interpolation may wait for a buffer (T137)
    }

    /// <summary>The worker whose thread this is.</summary>
    public static Worker? Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => t_current;
    }

    public NativeThreadPool Pool => _pool;

    /// <summary>The pool, unless its queue is limited: one comparison tells an entry call that it need not look further.</summary>
    public NativeThreadPool? UnlimitedPool { get; }

    /// <summary>Its number within the pool: the lowest that was free.</summary>
    public int Index { get; }

    public string Name { get; }

    /// <summary>Items that ended here. Written by the owner only.</summary>
    public long CompletedCount => Volatile.Read(ref _completed.Value);

    /// <summary>Items in the two queues at some moment.</summary>
    public int PendingCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _deque.Count + _lane.Count;
    }

    /// <summary>Queues an item on the calling worker, and asks for help if somebody could be had.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enqueue(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        WorkItemRing ring = preferLocal ? _deque : _lane;
        if (!ring.TryPush(callback, state, context))
        {
            GrowAndPush(ring, callback, state, context);
        }

        Chaos.Point("Worker.Enqueue, pushed");
        _gate.Acknowledge();
        Chaos.Point("Worker.Enqueue, gate passed");

        // No fence: usually everybody is busy and this load is all there is. A worker that announces itself idle at
        // this very moment makes this thread pass a barrier, or looks again within a bounded time (Worker.Idle).
        if ((Volatile.Read(ref *_word) & WorkerSignal.SomebodyCanBeHad) != 0)
        {
            AskForHelp();
        }
    }

    /// <summary>
    /// A producer's second look at the word, with the fence that its first look lacked: pairs with the full fences of
    /// Acknowledge, EndLinger and Announce.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AskForHelp()
    {
        // The next thing this worker does is usually to run the item itself. A watching worker sees within a bounded
        // time whether it did, so that a worker that feeds itself one item at a time wakes nobody (T50). No fence here
        // either: a watcher that has just left looks by itself, and makes this thread pass a barrier before it parks.
        if ((Volatile.Read(ref *_word) & WorkerSignal.Watching) != 0 && PendingCount <= 1)
        {
            return;
        }

        Chaos.Point("Worker.AskForHelp");
        Interlocked.MemoryBarrier();
        _pool.Request(_signal.Word);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowAndPush(WorkItemRing ring, Action<object?> callback, object? state, object? context)
    {
        _gate.Enter();
        try
        {
            // A thief may only have been late in clearing the slot.
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

    /// <summary>Takes the owner's next item: the newest local one, else the oldest of the lane.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTakeOwn(ref WorkItem item)
    {
        _gate.Enter();
        bool taken = _deque.TryTakeNewest(ref item) || _lane.TryTakeOldest(ref item);
        _gate.Exit();
        return taken;
    }
}
