using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Waiting;
using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>
/// The threads of one pool. It owns the lock and every count: who exists, who is blocked, who is in the reserve, and with them
/// who may start. What follows from the counts it publishes as flags, which workers and producers read without the lock.
/// </summary>
/// <remarks>
/// Nothing is called under the lock that could wait for another lock of the library, but for starting a thread and, where a
/// worker leaves the reserve, for handing its items over. Model: native/models/reserve.pml.
/// </remarks>
internal sealed partial class ThreadRoster
{
    private readonly UninterruptedLock _lock = new();
    private readonly NativeThreadPoolOptions _options;
    private readonly WorkerSignal _signal;
    private readonly ExternalLanes _external;
    private readonly Func<int, Worker> _create;
    private readonly Reserve _reserve = new();
    private readonly Overshoot _overshoot = new();

    // Changed under the lock. Those that are read without it are written by Volatile.
    private Worker[] _workers = [];
    private int _threadCount;
    private int _blockedCount;
    private bool _isClosed;
    private long _completedByEnded;
    private long _stealsOfEnded;
    private long _allBlockedSince; // a timestamp, or 0
    private int _attention;
    private bool _hasSurplus;

    /// <param name="options">How many threads there may be.</param>
    /// <param name="signal">Gets told whether a request may start a thread.</param>
    /// <param name="external">Where the items of a worker go that leaves.</param>
    /// <param name="create">Makes the worker of a number.</param>
    public ThreadRoster(NativeThreadPoolOptions options, WorkerSignal signal, ExternalLanes external, Func<int, Worker> create)
    {
        _options = options;
        _signal = signal;
        _external = external;
        _create = create;
        signal.SetGrowable(true);
    }

    /// <summary>The workers at this moment. The array is replaced, never changed.</summary>
    public Worker[] Workers => Volatile.Read(ref _workers);

    /// <summary>Threads at this moment: busy, blocked or parked.</summary>
    public int ThreadCount => Volatile.Read(ref _threadCount);

    /// <summary>Threads that are known to be blocked.</summary>
    public int BlockedCount => Volatile.Read(ref _blockedCount);

    /// <summary>Threads that are parked because enough others run.</summary>
    public int ReserveCount => _reserve.Count;

    /// <summary>0 while a worker may go from one item to the next without looking at anything else.</summary>
    public int Attention => Volatile.Read(ref _attention);

    /// <summary>Whether more workers run than may. The next ones to end an item leave for the reserve.</summary>
    public bool HasSurplus => Volatile.Read(ref _hasSurplus);

    /// <summary>Whether newcomers may run beyond the pool's number for a moment.</summary>
    public bool HasOvershoot => _overshoot.Threads != 0;

    /// <summary>Whether the limits allow no more threads.</summary>
    public bool IsAtBlockedLimit => ThreadCount - ReserveCount >= MaxThreads + MaxBlockedThreads;

    /// <summary>For how long every thread has been blocked without a break.</summary>
    public TimeSpan AllBlockedDuration
    {
        get
        {
            long since = Volatile.Read(ref _allBlockedSince);
            return since == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(since);
        }
    }

    /// <summary>Items that wait in all queues of the pool, at some moment.</summary>
    public long PendingCount
    {
        get
        {
            long count = _external.Count;
            foreach (Worker worker in Workers)
            {
                count += worker.PendingCount;
            }

            return count;
        }
    }

    /// <summary>Items that have ended, also on threads that have.</summary>
    public long CompletedCount => Sum(ref _completedByEnded, static worker => worker.CompletedCount);

    /// <summary>Times that a worker took from another one's queues.</summary>
    public long StealCount => Sum(ref _stealsOfEnded, static worker => worker.StealCount);

    private int MinThreads => _options.MinThreads;

    private int MaxThreads => _options.MaxThreads;

    private int MaxBlockedThreads => _options.MaxBlockedThreads;

    /// <summary>Threads that run, or would if there were work. Under the lock.</summary>
    private int RunningCount => _threadCount - _blockedCount - _reserve.Count;

    /// <summary>
    /// Whether any thread may yet run what lies in the queues, apart from workers that wait for groups of this pool. Of two
    /// workers that ask at the same time, each having marked itself before, at least one is told that there is none.
    /// </summary>
    public bool MayOthersRun()
    {
        using (_lock.EnterScope())
        {
            // How many run is not asked: one that waits, too, may not have been counted as blocked yet. A pool that has
            // stopped runs elsewhere what is still queued.
            return _isClosed
                || _reserve.Count != 0
                || _threadCount < MaxThreads + MaxBlockedThreads
                || Array.Exists(_workers, static worker => !worker.Blocking.DependsOnOthers);
        }
    }

    /// <summary>
    /// Starts no thread any more, for good, if <paramref name="may"/> says so under the lock, where the counts stand still.
    /// What it sets is seen by whoever sees the roster closed. <see langword="false"/> also where it was closed before.
    /// </summary>
    public bool TryClose<TArgument>(MayClose<TArgument> may, ref TArgument argument)
    {
        using (_lock.EnterScope())
        {
            if (_isClosed || !may(ref argument, new RosterCounts(_threadCount, _reserve.Count)))
            {
                return false;
            }

            Volatile.Write(ref _isClosed, true);
            CountsChanged();
            return true;
        }
    }

    /// <summary>What threads that have ended have counted, and those that are there: under the lock none goes from here to there.</summary>
    private long Sum(ref long ofEnded, Func<Worker, long> of)
    {
        using (_lock.EnterScope())
        {
            long count = ofEnded;
            foreach (Worker worker in _workers)
            {
                count += of(worker);
            }

            return count;
        }
    }

    /// <summary>Whether another worker may run, and where from. Under the lock.</summary>
    private bool MayRunMore(int limit) =>
        !_isClosed && RunningCount < limit && (_reserve.Count != 0 || _threadCount < MaxThreads + MaxBlockedThreads);

    /// <summary>States anew what follows from the counts. Under the lock, after each change of one of them.</summary>
    private void CountsChanged()
    {
        _signal.SetGrowable(!_startPostponed && MayRunMore(MaxThreads));
        Volatile.Write(ref _hasSurplus, RunningCount > MaxThreads + _overshoot.Threads);
        Volatile.Write(ref _attention, _isClosed || _blockedCount != 0 || _hasSurplus ? 1 : 0);
        bool allBlocked = _blockedCount != 0 && RunningCount == 0;
        if (allBlocked != (_allBlockedSince != 0))
        {
            Volatile.Write(ref _allBlockedSince, allBlocked ? Stopwatch.GetTimestamp() : 0);
        }
    }
}
