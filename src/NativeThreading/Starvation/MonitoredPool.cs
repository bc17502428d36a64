using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tracing;

namespace NativeThreading.Starvation;

/// <summary>The monitor's knowledge of one pool, and its actions. Only the monitor's thread uses it, except to start monitoring.</summary>
internal sealed class MonitoredPool(NativeThreadPool pool) : IMonitored
{
    private readonly List<Worker> _proven = [];
    private readonly List<Evidence> _waiting = [];
    private readonly List<Evidence> _running = [];
    private readonly ConditionalWeakTable<Worker, Evidence> _evidence = [];
    private readonly Watchdog _watchdog = new(pool);
    private readonly Rescue _rescue = new(pool);
    private long _look;
    private TimeSpan _interval = StarvationTuning.Soon;
    private int _quietLooks;
    private bool _someNew;
    private int _gettingOn;
    private long _starvingSince;
    private bool _limitTold;
    private long _injected;

    /// <summary>The number of threads that started to work in place of blocked ones.</summary>
    public long InjectedCount => Volatile.Read(ref _injected);

    /// <summary>The number of times that a rescue thread started to work.</summary>
    public long RescuedCount => _rescue.Count;

    /// <summary>Samples of this pool that have started so far, and visits of the monitor; for tests.</summary>
    public long LookCount => Volatile.Read(ref _look);

    /// <summary>Registers the pool with the monitor, unless it is registered. Any thread may call this.</summary>
    public void BeginMonitoring()
    {
        if (pool.Signal.TryBeginMonitoring())
        {
            Chaos.Point("MonitoredPool.BeginMonitoring, claimed");
            _interval = StarvationTuning.Soon;
            _quietLooks = 0;
            _look++; // earlier samples prove nothing any more
            if (!StarvationMonitor.TryMonitor(this))
            {
                Chaos.Point("MonitoredPool.BeginMonitoring, no monitor");
                pool.Signal.EndMonitoring(); // the next producer registers it again
            }
        }
    }

    /// <summary>Stops monitoring the pool. From now on a producer that finds no worker to request registers it again. Items that were published
    /// before are seen here, even if a worker pushed them without a fence. <see langword="true"/>: the monitor continues after all.</summary>
    public bool EndMonitoring()
    {
        pool.Signal.EndMonitoring();
        Counters.Add(Counted.OtherBarrier);
        ProcessBarrier.Issue();
        Chaos.Point("MonitoredPool.EndMonitoring, given back");
        bool waits = pool.State.RunnableCount != 0 && WorkerSignal.IdleCount(pool.Signal.Word) == 0;
        return (waits || pool.State.Injector.IsUnsorted) && pool.Signal.TryBeginMonitoring();
    }

    /// <summary>Samples once. Returns the time until the next sample, or <see langword="null"/> if the pool is no longer monitored.</summary>
    public TimeSpan? Look(PauseFreeClock clock)
    {
        if (pool.IsStopped)
        {
            return null;
        }

        pool.Requests.RetryPostponedStart();
        _look++;
        if (pool.State.Injector.IsUnsorted)
        {
            pool.State.Injector.ForgetUnsorted();
        }

        bool sorts = pool.State.Injector.IsPaused && !_rescue.SortHeld();
        long pending = pool.State.RunnableCount;
        int idle = WorkerSignal.IdleCount(pool.Signal.Word);
        bool waits = pending != 0 && idle == 0;
        if (waits)
        {
            pool.Waiting.LookNowAndThen();
        }

        bool anybodyGetsOn = LookAtWorkers(waits);
        TimeSpan elapsed = clock.Elapsed;
        Prove(elapsed, clock);

        bool watched = _watchdog.Look(pending, idle, elapsed);
        pool.Roster.EndOvershoot(elapsed);
        bool powerless = waits && !Replace(pending);
        NoteStarvation(waits && !anybodyGetsOn);
        TimeSpan? rescue = _rescue.Look(waits);

        // Read before monitoring stops: the pool may be registered again at once, and then this object belongs to its next visit.
        _quietLooks = waits || watched || sorts || pool.Roster.HasOvershoot ? 0 : _quietLooks + 1;
        TimeSpan? next = _interval = NextInterval(waits, powerless, rescue);
        return _quietLooks >= StarvationTuning.QuietLooks && !EndMonitoring() ? null : next;
    }

    /// <summary>Collects the workers that wait and those that run. Returns whether any worker makes progress.</summary>
    private bool LookAtWorkers(bool waits)
    {
        _gettingOn = 0;
        _waiting.Clear();
        _running.Clear();
        _proven.Clear();
        bool anybodyGetsOn = false;
        foreach (Worker worker in pool.Workers)
        {
            Evidence evidence = _evidence.GetValue(worker, static worker => new Evidence(worker));
            if (worker.Blocking.IsProven)
            {
                if (evidence.RunsAgain())
                {
                    pool.Roster.RunsAgain(worker);
                    anybodyGetsOn = true;
                }
            }
            else if (!worker.Blocking.IsInRegion && waits)
            {
                Evidence.State state = evidence.Look(_look);
                anybodyGetsOn |= state is Evidence.State.Moved or Evidence.State.Runs;
                if (state == Evidence.State.Moved && evidence.HasEndedItems)
                {
                    _gettingOn++;
                }

                if (state == Evidence.State.Waits)
                {
                    _waiting.Add(evidence);
                }
                else if (state == Evidence.State.Runs)
                {
                    _running.Add(evidence);
                }
                else if (state == Evidence.State.New)
                {
                    _someNew = true;
                }
            }
        }

        return anybodyGetsOn;
    }

    /// <summary>Collects the workers that are now proven blocked, and counts those that compute.</summary>
    private void Prove(TimeSpan elapsed, PauseFreeClock clock)
    {
        foreach (Evidence evidence in _waiting)
        {
            if (evidence.ProveWait(elapsed))
            {
                _proven.Add((Worker)evidence.Watched);
                TellRefusal(evidence.Refusal);
            }
            else if (evidence.ProveShortWaits(clock))
            {
                _proven.Add((Worker)evidence.Watched);
            }
        }

        foreach (Evidence evidence in _running)
        {
            if (evidence.ProveShortWaits(clock))
            {
                _proven.Add((Worker)evidence.Watched);
            }
            else if (evidence.Computes(elapsed))
            {
                _gettingOn++;
            }
        }
    }

    /// <summary>Marks and replaces the workers that were proven blocked. <see langword="false"/>: the pool needs another thread, and the limits allow
    /// none.</summary>
    private bool Replace(long pending)
    {
        int blocked = _proven.Count;
        int added = pool.Roster.ReplaceBlocked(_proven, _gettingOn, pending);
        if (added != 0)
        {
            NativeThreadingEventSource.Log.ThreadsInjected(pool.Name, blocked, added, pool.ThreadCount);
            Volatile.Write(ref _injected, _injected + added);
        }

        bool powerless = added == 0 && pool.BlockedThreadCount != 0 && _waiting.Count == blocked && !_someNew && pool.Roster.IsAtBlockedLimit;
        if (powerless && !_limitTold)
        {
            _limitTold = true;
            NativeThreadingEventSource.Log.BlockedLimitReached(pool.Name, pool.MaxBlockedThreads, pool.ThreadCount);
        }

        return !powerless;
    }

    private TimeSpan NextInterval(bool waits, bool powerless, TimeSpan? rescue)
    {
        bool soon = _waiting.Count != 0 || _proven.Count != 0 || _someNew;
        _someNew = false;
        if (powerless)
        {
            return rescue ?? StarvationTuning.Powerless;
        }

        if (waits && soon)
        {
            return StarvationTuning.Soon;
        }

        TimeSpan doubled = _interval * 2;
        return doubled < StarvationTuning.Later ? doubled : StarvationTuning.Later;
    }

    /// <summary>Measures how long items have been waiting while every worker waits.</summary>
    private void NoteStarvation(bool starves)
    {
        if (starves == (_starvingSince != 0))
        {
            return;
        }

        if (starves)
        {
            _starvingSince = Stopwatch.GetTimestamp();
            return;
        }

        TimeSpan duration = Stopwatch.GetElapsedTime(_starvingSince);
        _starvingSince = 0;
        _limitTold = false;
        if (duration >= StarvationTuning.Proof)
        {
            pool.Metrics.Starved(pool, duration);
            NativeThreadingEventSource.Log.StarvationEnded(pool.Name, Math.Round(duration.TotalMilliseconds, 1));
        }
    }

    private static int s_refusalTold;

    /// <summary>Reports once per process that run states cannot be read, so blocked workers are detected later.</summary>
    private static void TellRefusal(int errno)
    {
        if (errno != 0 && !ThreadProbe.Estimates && Interlocked.Exchange(ref s_refusalTold, 1) == 0)
        {
            NativeThreadingEventSource.Log.RunStatesUnreadable(errno, (int)StarvationTuning.ProofWithoutState.TotalMilliseconds);
        }
    }
}
