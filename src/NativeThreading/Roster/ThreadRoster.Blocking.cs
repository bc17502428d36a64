using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>Blocked workers, those that replace them, and the reserve.</summary>
internal sealed partial class ThreadRoster
{
    /// <summary>Counts the worker as blocked.</summary>
    public void Blocked(Worker worker)
    {
        using var held = _lock.EnterScope();
        if (!worker.Blocking.IsCounted)
        {
            worker.Blocking.IsCounted = true;
            _blockedCount++;
            CountsChanged();
        }
    }

    /// <summary>The worker runs again: it has left its outermost region, or was found blocked and is not any more.</summary>
    public void RunsAgain(Worker worker)
    {
        Chaos.Point("ThreadRoster.RunsAgain");
        using var held = _lock.EnterScope();
        if (worker.Blocking.IsCounted && !worker.Blocking.IsInRegion)
        {
            worker.Blocking.IsCounted = false;
            _blockedCount--;
            CountsChanged();
        }
    }

    /// <summary>Marks workers as blocked and replaces them, in one pass. It fills up to <c>MaxThreads</c>. Beyond that it adds what
    /// <see cref="PassSize"/> says, and never more than items wait. Returns how many workers were added.</summary>
    /// <param name="proven">The workers that were proven blocked at this look.</param>
    /// <param name="gettingOn">How many workers were seen to compute or to end items.</param>
    /// <param name="pending">Items that wait.</param>
    public int ReplaceBlocked(List<Worker> proven, int gettingOn, long pending)
    {
        int limit, most;
        using (_lock.EnterScope())
        {
            foreach (Worker worker in proven)
            {
                // A worker that has left the list meanwhile would never be counted off.
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

        // As many as were missing: where idle threads end soon, they may end as fast as others are started, for ever.
        Chaos.Point("ThreadRoster.ReplaceBlocked, counted");
        int added = 0;
        while (added < most && TryAddRunner(limit))
        {
            added++;
        }

        return added;
    }

    /// <summary>Called at each look. After a while threads beyond <c>MaxThreads</c> that still run are a surplus.</summary>
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

    /// <summary>Counts the calling worker into the reserve if more run than may. <see langword="false"/>: the worker goes on.</summary>
    public bool TryEnterReserve()
    {
        Chaos.Point("ThreadRoster.TryEnterReserve");
        using (_lock.EnterScope())
        {
            if (_isClosed || !_state.HasSurplus)
            {
                return false;
            }

            _reserve.Enter();
            CountsChanged();
        }

        Chaos.Point("ThreadRoster.TryEnterReserve, entered");
        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve. <see langword="false"/>: its time is over, and it was removed.</summary>
    public bool WaitInReserve(Worker worker, long since)
    {
        while (!_reserve.Wait(_state.RemainingIdleTime(since)))
        {
            Chaos.Point("ThreadRoster.WaitInReserve, time is over");
            if (TryLeaveReserve(worker))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Calls back the whole reserve: its workers then see that the pool has stopped.</summary>
    public void CallBackAll()
    {
        using var held = _lock.EnterScope();
        while (_reserve.TryCallBack())
        {
        }
    }

    private bool TryLeaveReserve(Worker worker)
    {
        using var held = _lock.EnterScope();

        // A count of 0 means that the caller itself was called back at this moment: a permit is on its way.
        if (ReserveCount == 0 || !MaySpareOne)
        {
            return false;
        }

        // It entered between two items, and its queues may hold more. They are handed over before it is removed, because
        // nobody looks at the queues of a worker that is not listed.
        _reserve.Leave();
        Chaos.Point("ThreadRoster.TryLeaveReserve, counted off");
        HandOver.To(_state.Injector, worker);
        return Remove(worker);
    }

    /// <summary>Calls back or starts one more worker if fewer than <paramref name="limit"/> run.</summary>
    private bool TryAddRunner(int limit)
    {
        Worker? worker;
        using (_lock.EnterScope())
        {
            if (_postponement.Stands || !MayRunMore(limit) || !TryCallBackOrEnlist(out worker))
            {
                return false;
            }
        }

        return worker is null || TryStart(worker);
    }
}
