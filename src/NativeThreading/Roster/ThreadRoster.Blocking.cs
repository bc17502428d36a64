using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>Threads that block, those that run in their place, and the reserve of those that are too many.</summary>
internal sealed partial class ThreadRoster
{
    /// <summary>Counts the worker as blocked.</summary>
    public void Blocked(Worker worker)
    {
        using (_lock.EnterScope())
        {
            CountBlocked(worker);
        }
    }

    /// <summary>The worker runs again: it has left its outermost region, or ended the item in which it was found blocked.</summary>
    public void RunsAgain(Worker worker)
    {
        Chaos.Point("ThreadRoster.RunsAgain");
        using (_lock.EnterScope())
        {
            if (worker.Blocking.IsCounted && !worker.Blocking.IsInRegion)
            {
                worker.Blocking.IsCounted = false;
                _blockedCount--;
                CountsChanged();
            }
        }
    }

    /// <summary>
    /// Marks workers as blocked and puts others to work in their place, all in one pass: as many as may run, and beyond that
    /// several for each that is blocked where hardly anybody gets on, but never more than items wait. Returns how many.
    /// </summary>
    /// <param name="proven">Who was found blocked at this look.</param>
    /// <param name="gettingOn">How many were found to compute, or to end items.</param>
    /// <param name="pending">Items that wait.</param>
    public int ReplaceBlocked(List<Worker> proven, int gettingOn, long pending)
    {
        int limit;
        using (_lock.EnterScope())
        {
            foreach (Worker worker in proven)
            {
                // One that has left meanwhile is never counted off again.
                if (worker.IsListed)
                {
                    CountBlocked(worker);
                }
            }

            limit = Math.Max(MaxThreads, RunningCount + PassSize.Beyond(MaxThreads, proven.Count, gettingOn));
            limit = (int)Math.Min(limit, RunningCount + pending);
            if (!MayRunMore(limit))
            {
                return 0;
            }

            _overshoot.Allow(limit - MaxThreads);
        }

        Chaos.Point("ThreadRoster.ReplaceBlocked, counted");
        int added = 0;
        while (TryAddRunner(limit))
        {
            added++;
        }

        return added;
    }

    /// <summary>Called at each look: after a while newcomers that turn out to run are too many.</summary>
    public void EndOvershoot(TimeSpan elapsed)
    {
        if (_overshoot.Ends(elapsed))
        {
            Chaos.Point("ThreadRoster.EndOvershoot");
            using (_lock.EnterScope())
            {
                _overshoot.Allow(0);
                CountsChanged();
            }
        }
    }

    /// <summary>Counts the calling worker to the reserve if more run than may; <see langword="false"/>: it is to go on.</summary>
    public bool TryEnterReserve()
    {
        Chaos.Point("ThreadRoster.TryEnterReserve");
        using (_lock.EnterScope())
        {
            if (_isClosed || !HasSurplus)
            {
                return false;
            }

            _reserve.Enter();
            CountsChanged();
        }

        Chaos.Point("ThreadRoster.TryEnterReserve, entered");
        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve; <see langword="false"/>: its time is over, and it is off the list.</summary>
    public bool WaitInReserve(Worker worker, long since)
    {
        while (!_reserve.Wait(RemainingIdleTime(since)))
        {
            Chaos.Point("ThreadRoster.WaitInReserve, time is over");
            if (TryLeaveReserve(worker))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Calls all of the reserve back; they see that the pool has stopped.</summary>
    public void CallBackAll()
    {
        using (_lock.EnterScope())
        {
            while (_reserve.TryCallBack())
            {
            }
        }
    }

    private bool TryLeaveReserve(Worker worker)
    {
        using (_lock.EnterScope())
        {
            // With nobody left here somebody was called back at this very moment, and a permit is on its way to the
            // caller.
            if (_reserve.Count == 0 || _threadCount <= MinThreads)
            {
                return false;
            }

            // It came between two items and may have more of its own. Before it is removed: nobody looks at the queues of a
            // worker that is not listed.
            _reserve.Leave();
            Chaos.Point("ThreadRoster.TryLeaveReserve, counted off");
            HandOver(worker);
            return Remove(worker);
        }
    }

    /// <summary>Under the lock.</summary>
    private void CountBlocked(Worker worker)
    {
        if (!worker.Blocking.IsCounted)
        {
            worker.Blocking.IsCounted = true;
            _blockedCount++;
            CountsChanged();
        }
    }

    /// <summary>Puts one more worker to work, from the reserve or a new one, if fewer than <paramref name="limit"/> run.</summary>
    private bool TryAddRunner(int limit)
    {
        using (_lock.EnterScope())
        {
            return !_startPostponed && MayRunMore(limit) && TryCallBackOrStart();
        }
    }
}
