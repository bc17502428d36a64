using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>Decides whether the roster closes, under its lock, so with counts that do not change.</summary>
/// <param name="argument">The caller's.</param>
/// <param name="atWork">Threads that run, or are parked and can be asked by a request: all but those in the reserve.</param>
internal delegate bool MayClose<TArgument>(ref TArgument argument, int atWork);

/// <summary>The list of a pool's threads, with its lock and its counts: which threads exist, are blocked, are in the reserve. The counts
/// decide who may start. What follows from them is published as flags, which workers and producers read without the lock.</summary>
/// <remarks>Two things under this lock may wait for another lock of the library: the hold on the monitor, which comes before the first
/// worker, and the hand-over of a worker that leaves the reserve. Model: native/models/reserve.pml.</remarks>
internal sealed partial class ThreadRoster
{
    private readonly UninterruptedLock _lock = new();
    private readonly NativeThreadPoolOptions _options;
    private readonly PoolState _state;
    private readonly Func<int, bool, Worker> _create;
    private readonly Action _notStarted;
    private readonly Reserve _reserve;
    private readonly Overshoot _overshoot = new();

    // All change under the lock. Those that are read without it are written by Volatile.
    private int _blockedCount;
    private bool _isClosed;
    private WorkerTotals _ofEnded;
    private long _allBlockedSince; // a timestamp, or 0

    /// <param name="options">The limits.</param>
    /// <param name="state">Where workers and producers read what the roster states.</param>
    /// <param name="create">Creates the worker, or the rescue thread, with a given index.</param>
    /// <param name="notStarted">Called when a worker was removed because its thread could not be started; not under the lock.</param>
    public ThreadRoster(NativeThreadPoolOptions options, PoolState state, Func<int, bool, Worker> create, Action notStarted)
    {
        _options = options;
        _state = state;
        _create = create;
        _notStarted = notStarted;
        _reserve = new Reserve(state);
        _rescueReserve = new Reserve(state);
        state.Signal.SetGrowable(true);
    }

    /// <summary>Workers that are counted as blocked.</summary>
    public int BlockedCount => Volatile.Read(ref _blockedCount);

    /// <summary>Whether threads may run beyond <c>MaxThreads</c> for a moment.</summary>
    public bool HasOvershoot => _overshoot.Threads != 0;

    /// <summary>Whether the limits allow no more threads.</summary>
    public bool IsAtBlockedLimit => OwnCount - _reserve.Count >= MaxThreads + MaxBlockedThreads;

    /// <summary>For how long all threads have been blocked without interruption.</summary>
    public TimeSpan AllBlockedDuration
    {
        get
        {
            long since = Volatile.Read(ref _allBlockedSince);
            return since == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(since);
        }
    }

    /// <summary>What the workers have counted, former ones included. The lock keeps a worker from being counted as both.</summary>
    public WorkerTotals Totals
    {
        get
        {
            using var held = _lock.EnterScope();
            WorkerTotals totals = _ofEnded;
            foreach (Worker worker in _state.Workers)
            {
                totals += worker.IsListed ? worker.Totals : default;
            }

            return totals;
        }
    }

    private int MinThreads => _options.MinThreads;
    private int MaxThreads => _options.MaxThreads;
    private int MaxBlockedThreads => _options.MaxBlockedThreads;

    /// <summary>Threads without those that are there to rescue. Under the lock.</summary>
    private int OwnCount => _state.ThreadCount - _state.RescueCount;

    /// <summary>Of these, those that are neither blocked nor in the reserve. Under the lock.</summary>
    private int RunningCount => OwnCount - (_blockedCount - _blockedRescueCount) - _reserve.Count;

    /// <summary>Whether some thread may still run the queued items, apart from workers that wait for groups of this pool. Each
    /// caller has marked itself before. So of two that ask at the same time at least one learns that there is none.</summary>
    public bool MayOthersRun()
    {
        using var held = _lock.EnterScope();

        // RunningCount is not asked: a worker that waits may not be counted as blocked yet. What a stopped pool still holds
        // runs elsewhere.
        return _isClosed
            || _reserve.Count != 0
            || OwnCount < MaxThreads + MaxBlockedThreads
            || Array.Exists(_state.Workers, static worker => worker.IsListed && !worker.Blocking.DependsOnOthers);
    }

    /// <summary>Closes the roster for good if <paramref name="may"/> allows it. A closed roster starts no thread. A thread that sees it
    /// closed also sees what <paramref name="may"/> has written. <see langword="false"/> also if it was closed before.</summary>
    public bool TryClose<TArgument>(MayClose<TArgument> may, ref TArgument argument)
    {
        using var held = _lock.EnterScope();
        if (_isClosed || !may(ref argument, _state.ThreadCount - _state.ReserveCount))
        {
            return false;
        }

        Volatile.Write(ref _isClosed, true);
        CountsChanged();
        return true;
    }

    /// <summary>Whether another worker may run and could come from somewhere. Under the lock.</summary>
    private bool MayRunMore(int limit) =>
        !_isClosed && RunningCount < limit && (_reserve.Count != 0 || OwnCount < MaxThreads + MaxBlockedThreads);

    /// <summary>Publishes what follows from the counts. Under the lock, after each change of a count.</summary>
    private void CountsChanged()
    {
        _state.Signal.SetGrowable(!_postponement.Stands && MayRunMore(MaxThreads));
        _state.HasSurplus = RunningCount > MaxThreads + _overshoot.Threads;
        _state.Attract(Attention.Threads, _isClosed || _blockedCount != 0 || _state.HasSurplus);
        bool allBlocked = _blockedCount != 0 && RunningCount == 0;
        _state.NeedsRescue = allBlocked && !_isClosed && IsAtBlockedLimit;
        allBlocked &= RescuersAtWork == 0;
        _state.RescuersInUse = _state.RescueCount - _rescueReserve.Count;
        if (allBlocked != (_allBlockedSince != 0))
        {
            Volatile.Write(ref _allBlockedSince, allBlocked ? Stopwatch.GetTimestamp() : 0);
        }
    }
}
