using System.Diagnostics;
using System.Reflection;
using NativeThreading.Tracing;
using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>Takes snapshots of the pools and event loops of the process. While an observer exists, pools record which method each worker runs and how long
/// items waited, and loops record how long their turns take. Without an observer nothing is recorded, at no cost.</summary>
/// <remarks>
/// <para>All members may be called from any thread at any time. Each observer has its own counts, so several do not disturb each other.</para>
/// <para>An item is recorded if it was queued while an observer existed: it costs an object and two readings of the clock. An item that was
/// queued before is not recorded, so its worker has no <see cref="WorkerSnapshot.Item"/>. The record of an item holds the item's delegate while the item
/// runs, and never the item's state. A snapshot holds texts and numbers only.</para>
/// </remarks>
/// <example>
/// <code>
/// using var observer = new ThreadObserver();
/// ThreadSnapshot snapshot = observer.TakeSnapshot();
/// Console.WriteLine($"{snapshot.Pools.Count} pools, {snapshot.Loops.Count} loops");
/// </code>
/// </example>
public sealed class ThreadObserver : IDisposable
{
    private readonly UninterruptedLock _lock = new();
    private Dictionary<int, PoolHistory> _pools = []; // by number; the lock guards what follows
    private IReadOnlyList<LoopSnapshot> _loops = [];
    private long _last = Stopwatch.GetTimestamp();
    private bool _wasSame;
    private readonly bool _recordsItems;
    private bool _isDisposed;

    /// <summary>Starts to observe. Items that are queued from now on are recorded.</summary>
    public ThreadObserver()
        : this(recordsItems: true)
    {
    }

    /// <summary>Starts to observe.</summary>
    /// <param name="recordsItems"><see langword="true"/> to record items that are queued from now on, which costs some 80 ns for each item;
    /// <see langword="false"/> to observe states and counts only, which costs the items nothing.</param>
    public ThreadObserver(bool recordsItems)
    {
        _recordsItems = recordsItems;
        Observation.Begin(recordsItems);
    }

    /// <summary>Gets whether the item that runs on the calling thread is recorded. If it is not, <see cref="NoteMethod"/> does nothing.</summary>
    public static bool RecordsItem => Worker.Current?.Record is { IsRunning: true };

    /// <summary>Sets the method that observers report for the work item that runs on the calling thread. For libraries that queue their own delegates
    /// on behalf of a caller, whose names would mean nothing to users. Does nothing if no item is recorded.</summary>
    /// <param name="method">The method that an observer reports until the item completes.</param>
    /// <exception cref="ArgumentNullException"><paramref name="method"/> is null.</exception>
    public static void NoteMethod(MethodBase method)
    {
        ArgumentNullException.ThrowIfNull(method);
        Worker.Current?.Record?.Rename(method);
    }

    /// <summary>Gives the work item that runs on the calling thread the name by which users know it: <c>GET /report</c>. Does nothing if no item is
    /// recorded.</summary>
    /// <param name="name">The name that an observer reports until the item completes. It should not contain data of users.</param>
    /// <param name="method">The method that the item is for, if that is known.</param>
    /// <exception cref="ArgumentNullException"><paramref name="name"/> is null.</exception>
    public static void NoteName(string name, MethodBase? method = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        Worker.Current?.Record?.Rename(new NamedItem(name, method));
    }

    /// <summary>Takes a snapshot of all pools and loops. It blocks none of them, and takes about 20 µs for each worker that is not parked. If a
    /// worker waits, the observer checks it again after 2 ms: a worker that still waits, and has used no processor time, is blocked.</summary>
    /// <returns>The pools and loops of the process, with what happened since the previous snapshot of this observer.</returns>
    /// <exception cref="ObjectDisposedException">The observer has been disposed.</exception>
    public ThreadSnapshot TakeSnapshot() => Take(ifChanged: false)!;

    /// <summary>Takes a snapshot if it would differ from the previous one of this observer by more than its durations. It takes about 1 µs for each
    /// thread if it would not.</summary>
    /// <remarks>The observer does not ask the kernel about threads to find this out. So a thread that blocks without a region, while no item of its pool
    /// waits, is not a change.</remarks>
    /// <returns>A snapshot as of <see cref="TakeSnapshot"/>; <see langword="null"/> if since the snapshot before the previous one no item has been
    /// queued, started, completed or rejected, no loop has run, and no pool, loop or limit has changed.</returns>
    /// <exception cref="ObjectDisposedException">The observer has been disposed.</exception>
    public ThreadSnapshot? TakeSnapshotIfChanged() => Take(ifChanged: true);

    private ThreadSnapshot? Take(bool ifChanged)
    {
        using var held = _lock.EnterScope();
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        long now = Stopwatch.GetTimestamp();
        IReadOnlyList<LoopSnapshot> loops = LoopHook.Installed?.TakeSnapshots(this, now) ?? [];
        List<NativeThreadPool> there = PoolRegistry.Pools.FindAll(static pool => !pool.IsStopped);
        var pools = new Dictionary<int, PoolHistory>(); // without those that have stopped
        bool isSame = there.Count == _pools.Count;
        foreach (NativeThreadPool pool in there)
        {
            PoolHistory history = pools[pool.Number] = _pools.GetValueOrDefault(pool.Number) ?? new PoolHistory();
            isSame &= history.HasRested(pool);
        }

        // The previous snapshot, too, had counted nothing since the one before it.
        bool isSameAgain = isSame && _wasSame && loops.SequenceEqual(_loops);
        (_wasSame, _loops) = (isSame, loops);
        if (ifChanged && isSameAgain)
        {
            _last = now;
            return null;
        }

        bool waits = false;
        foreach (NativeThreadPool pool in there)
        {
            waits |= pools[pool.Number].Glance(pool);
        }

        if (waits)
        {
            using var never = new LifoSemaphore(0, lingers: false);
            never.Wait(StarvationTuning.Proof);
        }

        now = Stopwatch.GetTimestamp();
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_last, now);
        var snapshot = new ThreadSnapshot(
            elapsed,
            [.. there.Select(pool => pools[pool.Number].Look(pool, now))],
            loops);
        (_pools, _last) = (pools, now);
        return snapshot;
    }

    /// <summary>Ends the observation. The record of a running item is dropped when the item completes. May be repeated.</summary>
    public void Dispose()
    {
        using (_lock.EnterScope())
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            _pools = [];
        }

        LoopHook.Installed?.Forget(this);
        Observation.End(_recordsItems);
    }
}
