using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>Starting threads, and removing those that end.</summary>
internal sealed partial class ThreadRoster
{
    private bool _startFailed;
    private bool _startPostponed;
    private long _startFailedAt;

    /// <summary>
    /// Starts threads until there are <paramref name="count"/>. Throws what starting a thread throws; those that were started
    /// stay.
    /// </summary>
    public int StartUpTo(int count)
    {
        int started = 0;
        using (_lock.EnterScope())
        {
            while (!_isClosed && ThreadCount < count)
            {
                Start();
                started++;
            }
        }

        return started;
    }

    /// <summary>
    /// Starts the first thread of a pool that has none. Throws what starting a thread throws; then only the request has
    /// changed.
    /// </summary>
    /// <param name="requested">
    /// Whether a request was made for the new thread, which owns it from the start: else the item that it is started for would
    /// ask for a second thread. Where starting fails, the caller ends the request.
    /// </param>
    public void StartFirst(ref bool requested)
    {
        using (_lock.EnterScope())
        {
            if (ThreadCount == 0 && !_isClosed)
            {
                requested = _state.Signal.Request() == RequestOutcome.StartThread;
                Start();
            }
        }
    }

    /// <summary>
    /// Calls back or starts the worker that a request asked for. The worker owns the request. <see langword="false"/>: no more
    /// may run, none could be started, or no item waits any more.
    /// </summary>
    public bool TryStartRequested()
    {
        using (_lock.EnterScope())
        {
            // A worker that was about to park may have taken the item between its publication and the request (T25).
            if (!MayRunMore(MaxThreads) || PendingCount == 0 || !TryCallBackOrStart())
            {
                return false;
            }

            _startFailed = false;
            return true;
        }
    }

    /// <summary>
    /// Called by the monitor at each look. Some time after a failed start threads may be started again. <see langword="true"/>:
    /// from now on; the caller then makes a request for the items that wait.
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

    /// <summary>Removes a worker whose idle time is over. It is not announced, and its queues are empty.</summary>
    public bool TryRetire(Worker worker, long idleSince)
    {
        if (_state.RemainingIdleTime(idleSince) != TimeSpan.Zero)
        {
            return false;
        }

        Chaos.Point("ThreadRoster.TryRetire, time is over");
        using (_lock.EnterScope())
        {
            return ThreadCount > MinThreads && Remove(worker);
        }
    }

    /// <summary>Removes a worker whose thread ends. <see langword="false"/>: it was removed before.</summary>
    public bool RemoveEnded(Worker worker)
    {
        using (_lock.EnterScope())
        {
            return Remove(worker);
        }
    }

    /// <summary>Hand-over: moves the items of a worker that leaves into the injector queue (T39).</summary>
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
            _state.Injector.Enqueue(item.Callback!, item.State, item.Context);
        }
    }

    /// <summary>
    /// Under the lock. Where no thread can be started, accepted work runs on the existing ones. The next attempt is the
    /// monitor's, so a starved system is not asked at every enqueue. Throws nothing, because the item is published (T36).
    /// </summary>
    /// <remarks>
    /// A producer that finds no worker to ask brings the pool to the monitor, and so does the caller that ends the request. So
    /// nothing here needs the runtime's pool or its timers, which fail where threads cannot be started.
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
                NativeThreadingEventSource.Log.ThreadStartFailed(_options.Name, exception.Message, ThreadCount);
            }

            return false;
        }
    }

    /// <summary>Under the lock. Throws where no thread can be started; then nothing has changed.</summary>
    private void Start()
    {
        int index = LowestFreeIndex();
        Growth.Begin("worker");

        // All allocations come before the first change, and undoing allocates nothing: a listed worker without a thread would
        // be waited for for ever.
        Worker worker = _create(index);
        Worker[] before = Workers;
        Worker[] after = [.. before, worker];
        _state.ThreadCount++;
        _state.Workers = after;
        CountsChanged();
        try
        {
            worker.Start();
        }
        catch
        {
            _state.Workers = before;
            _state.ThreadCount--;
            CountsChanged();
            throw;
        }
    }

    private int LowestFreeIndex()
    {
        bool[] taken = new bool[Workers.Length + 1];
        foreach (Worker worker in Workers)
        {
            if (worker.Index < taken.Length)
            {
                taken[worker.Index] = true;
            }
        }

        return Array.IndexOf(taken, false);
    }

    /// <summary>Under the lock. <see langword="false"/>: the worker was removed before.</summary>
    private bool Remove(Worker worker)
    {
        Worker[] before = Workers;
        int position = Array.IndexOf(before, worker);
        if (position < 0)
        {
            return false;
        }

        _state.Workers = [.. before[..position], .. before[(position + 1)..]];
        Chaos.Point("ThreadRoster.Remove, not listed");
        _state.ThreadCount--;
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
