using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Starvation;
using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>Starting threads, and taking those off the list that end.</summary>
internal sealed partial class ThreadRoster
{
    private bool _startFailed;
    private bool _startPostponed;
    private long _startFailedAt;
    private MonitorHold? _monitor; // from before the first thread until the stop

    /// <summary>How long an idle worker may still stay, or for ever if there are no more than the least.</summary>
    public TimeSpan RemainingIdleTime(long idleSince)
    {
        if (_options.IdleTimeout == Timeout.InfiniteTimeSpan || ThreadCount <= MinThreads)
        {
            return Timeout.InfiniteTimeSpan;
        }

        TimeSpan remaining = _options.IdleTimeout - Stopwatch.GetElapsedTime(idleSince);
        return remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero;
    }

    /// <summary>Starts threads until there are as many. Throws what starting one throws; those that were started stay.</summary>
    public int StartUpTo(int count)
    {
        int started = 0;
        using (_lock.EnterScope())
        {
            while (!_isClosed && _threadCount < count)
            {
                Start();
                started++;
            }
        }

        return started;
    }

    /// <summary>Starts a thread where there is none. Throws what starting one throws; nothing has changed then but the request.</summary>
    /// <param name="requested">
    /// A request was made for it. The new thread owns it from the start, or the item it is started for would ask for a second
    /// one; where starting fails, the caller ends it.
    /// </param>
    public void StartFirst(ref bool requested)
    {
        using (_lock.EnterScope())
        {
            if (_threadCount == 0 && !_isClosed)
            {
                requested = _signal.Request() == RequestOutcome.StartThread;
                Start();
            }
        }
    }

    /// <summary>
    /// Puts the worker to work that a request asked for: it owns the request. <see langword="false"/>: none may run, or could
    /// be started, or nothing waits any more.
    /// </summary>
    public bool TryStartRequested()
    {
        using (_lock.EnterScope())
        {
            // Between publication and request a worker that was about to park may have taken the item (T25).
            if (!MayRunMore(MaxThreads) || PendingCount == 0 || !TryCallBackOrStart())
            {
                return false;
            }

            _startFailed = false;
            return true;
        }
    }

    /// <summary>
    /// Called by the monitor at each look: some time after a start has failed, threads may be started again.
    /// <see langword="true"/>: from now on, and whoever waits is to be asked for.
    /// </summary>
    public bool TryEndPostponement()
    {
        if (!Volatile.Read(ref _startPostponed) || Stopwatch.GetElapsedTime(Volatile.Read(ref _startFailedAt)) < StarvationTuning.StartRetry)
        {
            return false;
        }

        using (_lock.EnterScope())
        {
            _startPostponed = false;
            CountsChanged();
        }

        Chaos.Point("ThreadRoster.TryEndPostponement, growable");
        return true;
    }

    /// <summary>Takes a worker off that is not announced and whose idle time is over. Its queues are empty.</summary>
    public bool TryRetire(Worker worker, long idleSince)
    {
        if (RemainingIdleTime(idleSince) != TimeSpan.Zero)
        {
            return false;
        }

        Chaos.Point("ThreadRoster.TryRetire, time is over");
        using (_lock.EnterScope())
        {
            return _threadCount > MinThreads && Remove(worker);
        }
    }

    /// <summary>Takes a worker off whose thread ends. <see langword="false"/>: it was off before.</summary>
    public bool RemoveEnded(Worker worker)
    {
        using (_lock.EnterScope())
        {
            return Remove(worker);
        }
    }

    /// <summary>Moves what a worker leaves behind to where the others find it (T39).</summary>
    public void HandOver(Worker worker)
    {
        if (worker.PendingCount == 0)
        {
            return;
        }

        var items = new List<WorkItem>();
        worker.Queues.TakeAll(items);
        foreach (WorkItem item in items)
        {
            _external.Enqueue(item.Callback!, item.State, item.Context);
        }
    }

    /// <summary>Lets the monitor's thread go: no thread is started any more.</summary>
    public void ReleaseMonitor()
    {
        MonitorHold? monitor;
        using (_lock.EnterScope())
        {
            monitor = _monitor;
        }

        monitor?.Dispose();
    }

    /// <summary>
    /// Under the lock. Where no thread can be had, accepted work runs on those there are, and none is started until the monitor
    /// tries again, so that a starved system is not asked at every enqueue. Throws nothing, for the item is published (T36).
    /// </summary>
    /// <remarks>
    /// Whoever finds work and nobody to ask brings the pool to the monitor, as for any other reason: a producer, and the caller
    /// that ends the refused request. So nothing here needs the runtime's pool or its timers, which fail and starve where
    /// threads do.
    /// </remarks>
    private bool TryCallBackOrStart()
    {
        Chaos.Point("ThreadRoster.TryCallBackOrStart");
        if (_reserve.TryCallBack())
        {
            CountsChanged();
            return true;
        }

        try
        {
            Start();
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            _startFailedAt = Stopwatch.GetTimestamp();
            Volatile.Write(ref _startPostponed, true);
            Chaos.Point("ThreadRoster.TryCallBackOrStart, postponed");
            CountsChanged();
            if (!_startFailed)
            {
                _startFailed = true;
                NativeThreadingEventSource.Log.ThreadStartFailed(_options.Name, exception.Message, _threadCount);
            }

            return false;
        }
    }

    /// <summary>Under the lock. Throws where no thread can be had; nothing has changed then.</summary>
    private void Start()
    {
        int index = LowestFreeIndex();
        _monitor ??= new MonitorHold(); // no item is accepted without it, so there is always somebody who tries again

        Growth.Begin("worker");

        // All that can run out of memory comes before the first change, and the way back allocates nothing: a worker
        // without a thread would be waited for for ever.
        Worker worker = _create(index);
        Worker[] before = _workers;
        Worker[] after = [.. before, worker];
        _threadCount++;
        Volatile.Write(ref _workers, after);
        CountsChanged();
        try
        {
            worker.Start();
        }
        catch
        {
            Volatile.Write(ref _workers, before);
            _threadCount--;
            CountsChanged();
            throw;
        }
    }

    private int LowestFreeIndex()
    {
        bool[] taken = new bool[_workers.Length + 1];
        foreach (Worker worker in _workers)
        {
            if (worker.Index < taken.Length)
            {
                taken[worker.Index] = true;
            }
        }

        return Array.IndexOf(taken, false);
    }

    /// <summary>Under the lock. <see langword="false"/>: it was removed before.</summary>
    private bool Remove(Worker worker)
    {
        Worker[] before = _workers;
        int position = Array.IndexOf(before, worker);
        if (position < 0)
        {
            return false;
        }

        Volatile.Write(ref _workers, [.. before[..position], .. before[(position + 1)..]]);
        Chaos.Point("ThreadRoster.Remove, not listed");
        _threadCount--;
        _completedByEnded += worker.CompletedCount;
        _stealsOfEnded += worker.StealCount;
        worker.IsListed = false;
        if (worker.Blocking.IsCounted)
        {
            worker.Blocking.IsCounted = false;
            _blockedCount--;
        }

        CountsChanged();
        return true;
    }
}
