using System.Globalization;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Roster;

namespace NativeThreading.Workers;

/// <summary>
/// One worker: a thread, and the queues that it serves first.
/// </summary>
internal sealed unsafe partial class Worker
{
    [ThreadStatic]
    private static Worker? t_current;

    private readonly NativeThreadPool _pool;
    private readonly ThreadRoster _roster;
    private readonly WorkerSignal _signal;
    private readonly ulong* _word;
    private WorkerQueues _queues = new();
    private OwnCounter _completed;
    private Pace _pace = Pace.AtOnce;

    public Worker(NativeThreadPool pool, int index)
    {
        _pool = pool;
        _roster = pool.Roster;
        UnlimitedPool = pool.Admission is null ? pool : null;
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

    /// <summary>What waits for it. Other threads steal from there, and look.</summary>
    public ref WorkerQueues Queues
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _queues;
    }

    /// <summary>Items in its queues at some moment.</summary>
    public int PendingCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _queues.Count;
    }

    /// <summary>Queues an item on the calling worker, and asks for help if somebody could be had.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Enqueue(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        _queues.Push(callback, state, context, preferLocal);
        Chaos.Point("Worker.Enqueue, pushed");

        // No fence: usually everybody is busy and this load is all there is. A worker that announces itself idle at
        // this very moment makes this thread pass a barrier, or looks again within a bounded time (Worker.Idle).
        if ((Volatile.Read(ref *_word) & WorkerSignal.NeedsSlowPath) != 0)
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
}
