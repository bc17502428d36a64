using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>Why a worker checks the pool between two items.</summary>
[Flags]
internal enum Attention
{
    /// <summary>There is no reason.</summary>
    None = 0,

    /// <summary>The pool has stopped, a worker is blocked, or too many run.</summary>
    Threads = 1,

    /// <summary>Items with a priority may wait.</summary>
    Priorities = 2,
}

/// <summary>
/// What the workers of a pool read, and share with its roster and its lifecycle. It is the bottom of the pool: it calls no other part.
/// </summary>
/// <param name="options">The pool's.</param>
/// <param name="isLimited">Whether the pool's queue has a limit.</param>
internal sealed class PoolState(NativeThreadPoolOptions options, bool isLimited)
{
    private Worker[] _workers = [];
    private int _threadCount;
    private int _reserveCount;
    private int _rescueCount;
    private int _rescuersInUse;
    private bool _needsRescue;
    private int _attention;
    private bool _hasSurplus;
    private int _idleWaits;
    private LifecycleState _lifecycle = new(isLimited);
    private LooksLast _last;
    private PaddedIndex _groupWaits;
    private OwnCounter _lastThrottle;

    /// <summary>The state word.</summary>
    public WorkerSignal Signal { get; } = new();

    /// <summary>The injector queue: for all threads that are not workers of the pool.</summary>
    public InjectorQueue Injector { get; } = new(isOneOrder: isLimited);

    /// <summary>Whether an idle worker may linger.</summary>
    public LingerPolicy Linger { get; } = new(options.LingerTime);

    /// <summary>The workers at this moment. The array is replaced, never changed; like what follows, by the roster, under its lock.</summary>
    public Worker[] Workers
    {
        get => Volatile.Read(ref _workers);
        set => Volatile.Write(ref _workers, value);
    }

    /// <summary>Threads at this moment: busy, blocked or parked.</summary>
    public int ThreadCount
    {
        get => Volatile.Read(ref _threadCount);
        set => Volatile.Write(ref _threadCount, value);
    }

    /// <summary>Threads that are parked because enough others run, and that were not called back; rescue threads among them.</summary>
    public int ReserveCount
    {
        get => Volatile.Read(ref _reserveCount);
        set => Volatile.Write(ref _reserveCount, value);
    }

    /// <summary>Rescue threads at this moment: busy, blocked or parked. <see cref="ThreadCount"/> has them, too.</summary>
    public int RescueCount
    {
        get => Volatile.Read(ref _rescueCount);
        set => Volatile.Write(ref _rescueCount, value);
    }

    /// <summary>Of these, those that are not parked: they run or block.</summary>
    public int RescuersInUse
    {
        get => Volatile.Read(ref _rescuersInUse);
        set => Volatile.Write(ref _rescuersInUse, value);
    }

    /// <summary>How many rescue threads may be in use for which items.</summary>
    public RescueShares Shares { get; } = new(options.EffectiveMaxRescueThreads);

    /// <summary>Whether the limits allow no further worker, and all that there are are blocked: rescue threads may run items.</summary>
    public bool NeedsRescue
    {
        get => Volatile.Read(ref _needsRescue);
        set => Volatile.Write(ref _needsRescue, value);
    }

    /// <summary>0 while a worker may go from one item to the next without checking anything else; otherwise the reasons.</summary>
    public Attention Attention => (Attention)Volatile.Read(ref _attention);

    /// <summary>Adds a reason, or removes it. A full fence where that changes anything.</summary>
    public void Attract(Attention reason, bool isGiven)
    {
        if ((Attention & reason) != 0 == isGiven)
        {
            return;
        }

        if (isGiven)
        {
            Interlocked.Or(ref _attention, (int)reason);
        }
        else
        {
            Interlocked.And(ref _attention, ~(int)reason);
        }
    }

    /// <summary>Whether more workers run than may. The next ones to end an item leave for the reserve.</summary>
    public bool HasSurplus
    {
        get => Volatile.Read(ref _hasSurplus);
        set => Volatile.Write(ref _hasSurplus, value);
    }

    /// <summary>How far the shutdown is. The lifecycle alone changes it.</summary>
    public ref LifecycleState Lifecycle => ref _lifecycle;

    /// <summary>Whether a worker may take another item: the pool has not stopped, and no more workers run than may.</summary>
    public bool MayGoOn => !HasSurplus && !IsStopped;

    public bool IsDraining => _lifecycle.IsDraining;

    public bool IsStopped => _lifecycle.IsStopped;

    /// <summary>Whether the worker that may have been the last to work has to ask if the pool is idle now: it drains, or a caller waits for that.</summary>
    public bool AwaitsIdle => IsDraining || Volatile.Read(ref _idleWaits) != 0;

    /// <summary>Counts one more or one less caller that waits until the pool is idle. A full fence.</summary>
    public void AddIdleWaits(int change) => Interlocked.Add(ref _idleWaits, change);

    /// <summary>The thread that started its scan last.</summary>
    public Worker? LastToLook => Volatile.Read(ref _last.Worker);

    /// <summary>When a worker last started to throttle wakes, or would have with a sentinel, in ticks of <see cref="Stopwatch"/>; 0 for never. Races lose an
    /// update now and then, which is harmless: a sentinel then clears LINGERING too soon, or a millisecond late.</summary>
    public long LastThrottle
    {
        get => Volatile.Read(ref _lastThrottle.Value);
        set => Volatile.Write(ref _lastThrottle.Value, value);
    }

    /// <summary>Workers that wait for a group and have nothing of it to run.</summary>
    public int GroupWaits => Volatile.Read(ref _groupWaits.Value);

    /// <summary>Counts one more or one less. A full fence.</summary>
    public void AddGroupWait(int change) => Interlocked.Add(ref _groupWaits.Value, change);

    /// <summary>As <see cref="PendingCount"/>, without those that wait until a paused pool is resumed.</summary>
    public long RunnableCount => PendingCount - Injector.HeldCount;

    /// <summary>Items that wait in all queues of the pool, at some moment.</summary>
    public long PendingCount
    {
        get
        {
            long count = Injector.Count;
            foreach (Worker worker in Workers)
            {
                count += worker.PendingCount;
            }

            return count;
        }
    }

    /// <summary>The worker has started to scan. Written only if it is another worker than before.</summary>
    public void BeginsToLook(Worker worker)
    {
        if (Volatile.Read(ref _last.Worker) != worker)
        {
            Counters.Add(Counted.LastToLookChange);
            Volatile.Write(ref _last.Worker, worker);
        }
    }

    /// <summary>How long an idle worker may still stay, or indefinitely if there are no more than the least.</summary>
    public TimeSpan RemainingIdleTime(long idleSince)
    {
        if (options.IdleTimeout == Timeout.InfiniteTimeSpan || ThreadCount - RescueCount <= options.MinThreads)
        {
            return Timeout.InfiniteTimeSpan;
        }

        TimeSpan remaining = options.IdleTimeout - Stopwatch.GetElapsedTime(idleSince);
        return remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero;
    }

    /// <summary>On lines of its own: workers that take turns write it as often as they wake.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
    private struct LooksLast
    {
        [FieldOffset(PaddedIndex.Line - sizeof(long))]
        public Worker? Worker;
    }
}
