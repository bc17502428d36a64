using NativeThreading.Starvation;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Workers that block, and those that run in their place.</summary>
public sealed partial class NativeThreadPool
{
    private readonly PoolWatch _watch;
    private readonly Reserve _reserve;
    private readonly Overshoot _overshoot = new();

    // Changed under the thread lock, like the counts they are made of; read between any two items.
    private int _attention;
    private bool _hasSurplus;
    private int _blockedCount;

    /// <summary>
    /// Tells the pool, on one of its workers, that what follows will block: while the region lasts another worker may
    /// run in place of the calling one, from this moment on, without waiting for it to be found blocked.
    /// </summary>
    /// <returns>
    /// To be disposed on the same thread: <c>using (NativeThreadPool.EnterBlockingRegion()) { ... }</c>. Regions may be
    /// nested. On a thread that is not a worker of any pool this does nothing.
    /// </returns>
    /// <remarks>
    /// For waits of a millisecond and more: a shorter one is over before anybody can take its place. No region is needed
    /// for the pool to stay alive; without one a blocked worker is found within a few milliseconds.
    /// </remarks>
    public static BlockingRegion EnterBlockingRegion() => new(Worker.Current);

    /// <summary>Threads that are known to be blocked at this moment: found to be, or in a blocking region.</summary>
    public int BlockedThreadCount => Volatile.Read(ref _blockedCount);

    /// <summary>0 while a worker may go from one item to the next without looking at anything else.</summary>
    internal int Attention => Volatile.Read(ref _attention);

    /// <summary>Whether more workers run than may; the next ones to end an item leave for the reserve.</summary>
    internal bool HasSurplus => Volatile.Read(ref _hasSurplus);

    /// <summary>Whether newcomers may run beyond <see cref="MaxThreads"/> for a moment.</summary>
    internal bool HasOvershoot => _overshoot.Threads != 0;

    /// <summary>Whether the limits allow no more threads.</summary>
    internal bool IsAtBlockedLimit => ThreadCount - _reserve.Count >= MaxThreads + MaxBlockedThreads;

    /// <summary>Threads that are parked because enough others run.</summary>
    internal int ReserveCount => _reserve.Count;

    /// <summary>Threads that run, or would if there were work. Under the lock.</summary>
    private int RunningCount => _threadCount - _blockedCount - _reserve.Count;

    /// <summary>Whether another worker may run, and where from. Under the lock.</summary>
    private bool MayRunMore(int limit) =>
        !IsStopped && RunningCount < limit && (_reserve.Count != 0 || _threadCount < MaxThreads + MaxBlockedThreads);

    /// <summary>States anew what follows from the counts. Under the lock, after each change of one of them.</summary>
    private void CountsChanged()
    {
        Signal.SetGrowable(!_startPostponed && MayRunMore(MaxThreads));
        Volatile.Write(ref _hasSurplus, RunningCount > MaxThreads + _overshoot.Threads);
        Volatile.Write(ref _attention, IsStopped || _blockedCount != 0 || _hasSurplus ? 1 : 0);
        NoteAllBlocked();
    }

    /// <summary>The calling worker enters its outermost region.</summary>
    internal void RegionEntered(Worker worker)
    {
        using (_threadLock.EnterScope())
        {
            CountBlocked(worker);
        }

        // Whoever queues at this very moment sees that the pool may grow, or is seen here, or comes upon UNMONITORED
        // (a worker, which does not fence).
        Chaos.Point("NativeThreadPool.RegionEntered, counted");
        worker.PassRequestOn();
    }

    /// <summary>The calling worker runs again: it has left its outermost region, or ended the item in which it was found blocked.</summary>
    internal void RunsAgain(Worker worker)
    {
        Chaos.Point("NativeThreadPool.RunsAgain");
        using (_threadLock.EnterScope())
        {
            if (worker.IsCountedBlocked && !worker.IsInRegion)
            {
                worker.IsCountedBlocked = false;
                _blockedCount--;
                CountsChanged();
            }
        }
    }

    /// <summary>
    /// Whether any thread may yet run what lies in the queues, apart from workers that wait for groups of this pool. Of two
    /// that find out at the same time that there is none, each having marked itself before, at least one does.
    /// </summary>
    internal bool MayOthersRun()
    {
        using (_threadLock.EnterScope())
        {
            // How many run is not asked: one that waits, too, may not have been counted as blocked yet. A pool that has
            // stopped runs elsewhere what is still queued.
            return IsStopped
                || _reserve.Count != 0
                || _threadCount < MaxThreads + MaxBlockedThreads
                || Array.Exists(_workers, static worker => !worker.DependsOnOthers);
        }
    }

    /// <summary>
    /// Marks workers as blocked and puts others to work in their place, all in one pass: as many as may run, and beyond that
    /// several for each that is blocked where hardly anybody gets on, but never more than items wait. Returns how many.
    /// Called by the monitor.
    /// </summary>
    /// <param name="proven">Who was found blocked at this look.</param>
    /// <param name="gettingOn">How many were found to compute, or to end items.</param>
    /// <param name="pending">Items that wait.</param>
    internal int ReplaceBlocked(List<Worker> proven, int gettingOn, long pending)
    {
        int limit;
        using (_threadLock.EnterScope())
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

        Chaos.Point("NativeThreadPool.ReplaceBlocked, counted");
        int added = 0;
        while (TryAddRunner(limit))
        {
            added++;
        }

        return added;
    }

    /// <summary>Called at each look: after a while newcomers that turn out to run are too many.</summary>
    internal void EndOvershoot(TimeSpan elapsed)
    {
        if (_overshoot.Ends(elapsed))
        {
            Chaos.Point("NativeThreadPool.EndOvershoot");
            using (_threadLock.EnterScope())
            {
                _overshoot.Allow(0);
                CountsChanged();
            }
        }
    }

    /// <summary>A worker that has nothing in hand parks if more run than may; <see langword="false"/>: it is to go on.</summary>
    internal bool TryEnterReserve()
    {
        Chaos.Point("NativeThreadPool.TryEnterReserve");
        using (_threadLock.EnterScope())
        {
            if (IsStopped || !HasSurplus)
            {
                return false;
            }

            _reserve.Enter();
            CountsChanged();
        }

        Chaos.Point("NativeThreadPool.TryEnterReserve, entered");
        if (IsDraining)
        {
            TryFinishDraining();
        }

        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve; <see langword="false"/>: it is to end.</summary>
    internal bool WaitInReserve(Worker worker, long since)
    {
        while (!_reserve.Wait(RemainingIdleTime(since)))
        {
            Chaos.Point("NativeThreadPool.WaitInReserve, time is over");
            if (TryLeaveReserve(worker))
            {
                Chaos.Point("NativeThreadPool.WaitInReserve, leaves");
                RequestForPending(); // where the number of threads was at its limit, another may be started now
                return false;
            }
        }

        return !IsStopped;
    }

    private bool TryLeaveReserve(Worker worker)
    {
        using (_threadLock.EnterScope())
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
            Chaos.Point("NativeThreadPool.TryLeaveReserve, counted off");
            HandOver(worker);
            return Remove(worker);
        }
    }

    /// <summary>Makes the pool one that the monitor looks after, unless it is.</summary>
    internal void BeginMonitoring()
    {
        if (Signal.TryBeginMonitoring())
        {
            Chaos.Point("NativeThreadPool.BeginMonitoring, claimed");
            _watch.Arrive();
            if (!StarvationMonitor.TryWatch(_watch))
            {
                Chaos.Point("NativeThreadPool.BeginMonitoring, no monitor");
                Signal.EndMonitoring(); // whoever queues next brings it again
            }
        }
    }

    /// <summary>
    /// Gives the pool back. From now on a producer that finds nobody to ask brings it again; what was published before
    /// is seen here, also where a worker pushed without a fence. <see langword="true"/>: the monitor goes on after all.
    /// </summary>
    internal bool EndMonitoring()
    {
        Signal.EndMonitoring();
        Interlocked.MemoryBarrierProcessWide();
        Chaos.Point("NativeThreadPool.EndMonitoring, given back");
        return PendingWorkItemCount != 0 && WorkerSignal.IdleCount(Signal.Word) == 0 && Signal.TryBeginMonitoring();
    }

    /// <summary>Under the lock.</summary>
    private void CountBlocked(Worker worker)
    {
        if (!worker.IsCountedBlocked)
        {
            worker.IsCountedBlocked = true;
            _blockedCount++;
            CountsChanged();
        }
    }

    /// <summary>Puts one more worker to work, from the reserve or a new one, if fewer than <paramref name="limit"/> run.</summary>
    private bool TryAddRunner(int limit)
    {
        using (_threadLock.EnterScope())
        {
            if (_startPostponed || !MayRunMore(limit))
            {
                return false;
            }

            try
            {
                CallBackOrStart();
                return true;
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                PostponeStart(exception);
                return false;
            }
        }
    }

    /// <summary>Under the lock. Throws where no thread can be had; nothing has changed then.</summary>
    private void CallBackOrStart()
    {
        Chaos.Point("NativeThreadPool.CallBackOrStart");
        if (_reserve.TryCallBack())
        {
            CountsChanged();
        }
        else
        {
            StartWorker();
        }
    }
}
