using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>Blocked workers, the workers that replace them, and the reserve.</summary>
internal sealed partial class ThreadRoster
{
    /// <summary>Counts the worker as blocked.</summary>
    public void Blocked(Worker worker) => Count(worker, isBlocked: true);

    /// <summary>The worker runs again: it has left its outermost region, or it was detected as blocked and no longer is.</summary>
    public void RunsAgain(Worker worker)
    {
        Chaos.Point("ThreadRoster.RunsAgain");
        Count(worker, isBlocked: false);
    }

    private void Count(Worker worker, bool isBlocked)
    {
        try
        {
            using var held = _lock.EnterScope();
            if (worker.Blocking.IsCounted != isBlocked && (isBlocked || !worker.Blocking.IsInRegion))
            {
                worker.Blocking.IsCounted = isBlocked;
                CountBlocked(worker, isBlocked ? 1 : -1);
                CountsChanged();
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. Items call this, and their threads may be aborted.
        }
    }

    /// <summary>Marks workers as blocked and replaces them, in one pass. It adds workers up to <c>MaxThreads</c>, beyond that as many as
    /// <see cref="PassSize"/> allows, and never more than there are waiting items. Returns the number of workers that were added.</summary>
    /// <param name="proven">The workers that this sample has proven blocked.</param>
    /// <param name="gettingOn">The number of workers that compute or complete items.</param>
    /// <param name="pending">The number of waiting items.</param>
    public int ReplaceBlocked(List<Worker> proven, int gettingOn, long pending)
    {
        int limit, most;
        using (_lock.EnterScope())
        {
            foreach (Worker worker in proven)
            {
                // A worker that has left the list meanwhile would stay counted.
                if (worker.IsListed)
                {
                    Blocked(worker);
                }
            }

            limit = Math.Max(MaxThreads, RunningCount + PassSize.Beyond(MaxThreads, proven.Count, gettingOn));
            limit = (int)Math.Min(limit, RunningCount + pending);
            if (!MayRunMore(limit))
            {
                return 0;
            }

            most = limit - RunningCount;
            _overshoot.Allow(limit - MaxThreads);
        }

        // Bounded by the initial deficit; with short idle timeouts the loop might never end.
        Chaos.Point("ThreadRoster.ReplaceBlocked, counted");
        int added = 0;
        while (added < most && TryAddRunner(limit))
        {
            added++;
        }

        return added;
    }

    /// <summary>Called at each sample. After a while, threads beyond <c>MaxThreads</c> that still run are a surplus.</summary>
    public void EndOvershoot(TimeSpan elapsed)
    {
        if (_overshoot.Ends(elapsed))
        {
            Chaos.Point("ThreadRoster.EndOvershoot");
            using var held = _lock.EnterScope();
            _overshoot.Allow(0);
            CountsChanged();
        }
    }

    /// <summary>Counts the calling worker into its reserve: a rescue thread, or any worker if more run than allowed. Returns
    /// <see langword="false"/> if the worker should continue, and a rescue thread should end.</summary>
    public bool TryEnterReserve(Worker worker)
    {
        Chaos.Point("ThreadRoster.TryEnterReserve");
        using (_lock.EnterScope())
        {
            if (_isClosed || !(worker.IsRescue || _state.HasSurplus))
            {
                return false;
            }

            ReserveOf(worker).Enter();
            CountsChanged();
        }

        Chaos.Point("ThreadRoster.TryEnterReserve, entered");
        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve. Returns <see langword="false"/> if its idle time is up and it was
    /// removed.</summary>
    public bool WaitInReserve(Worker worker, long since)
    {
        while (!ReserveOf(worker).Wait(worker.IsRescue ? StarvationTuning.RescueStay : _state.RemainingIdleTime(since)))
        {
            Chaos.Point("ThreadRoster.WaitInReserve, time is over");
            if (TryLeaveReserve(worker))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Calls all workers back from the reserve: they then see that the pool has stopped.</summary>
    public void CallBackAll()
    {
        using var held = _lock.EnterScope();
        while (_reserve.TryCallBack() || _rescueReserve.TryCallBack())
        {
        }
    }

    private bool TryLeaveReserve(Worker worker)
    {
        using var held = _lock.EnterScope();

        // A count of 0 means that the caller itself was called back at this moment: its permit is about to arrive.
        Reserve reserve = ReserveOf(worker);
        if (reserve.Count == 0 || !(worker.IsRescue ? worker.PendingCount == 0 : MaySpareOne))
        {
            return false;
        }

        // The worker entered the reserve between two items, and its queues may hold more. They are handed over before it is removed,
        // because no other worker scans the queues of an unlisted worker.
        reserve.Leave();
        Chaos.Point("ThreadRoster.TryLeaveReserve, counted off");
        HandOver.To(_state.Injector, worker);
        return Remove(worker);
    }

    private void CountBlocked(Worker worker, int change)
    {
        _blockedCount += change;
        Volatile.Write(ref _blockedRescueCount, _blockedRescueCount + (worker.IsRescue ? change : 0));
    }

    private Reserve ReserveOf(Worker worker) => worker.IsRescue ? _rescueReserve : _reserve;

    /// <summary>Calls back or starts one more worker if fewer than <paramref name="limit"/> run.</summary>
    private bool TryAddRunner(int limit)
    {
        Worker? worker;
        using (_lock.EnterScope())
        {
            if (_postponement.Stands || !MayRunMore(limit) || !TryCallBackOrEnlist(isRescue: false, out worker))
            {
                return false;
            }
        }

        return worker is null || TryStart(worker);
    }

    /// <summary>Holds back items that start work, or lets them run again. Returns whether that changed anything.</summary>
    public bool SetPaused(bool isPaused)
    {
        using var held = _lock.EnterScope();
        InjectorQueue injector = _state.Injector;
        if (injector.IsPaused == isPaused)
        {
            return false;
        }

        if (isPaused)
        {
            injector.BeginSorting(RescueShares.Generations); // allocates first
        }

        injector.IsPaused = isPaused;
        if (!isPaused && _state.RescueCount == 0)
        {
            injector.EndSorting();
        }

        return true;
    }

    /// <summary>Changes the limits. Workers above them leave for the reserve after their current item.</summary>
    public void Resize(int maxThreads, int maxBlockedThreads)
    {
        using var held = _lock.EnterScope();
        (_options.MaxThreads, _options.MaxBlockedThreads) = (maxThreads, maxBlockedThreads);
        CountsChanged();
    }
}
