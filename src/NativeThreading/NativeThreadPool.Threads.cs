using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Starvation;
using NativeThreading.Waiting;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>The worker threads: started on request, retired when idle, handed over when they end.</summary>
public sealed partial class NativeThreadPool
{
    private static readonly TimeSpan s_startRetry = TimeSpan.FromMilliseconds(100);

    private readonly UninterruptedLock _threadLock = new();
    private Worker[] _workers = [];
    private int _threadCount;
    private long _completedByEnded;
    private bool _startFailed;
    private bool _startPostponed;
    private long _startFailedAt;
    private MonitorHold? _monitor; // from before the first thread until the stop
    private int _priorityRefused;

    /// <summary>The workers at this moment; the array is replaced, never changed.</summary>
    internal Worker[] Workers => Volatile.Read(ref _workers);

    /// <summary>How long an idle worker may still stay, or for ever if the pool is at its minimum.</summary>
    internal TimeSpan RemainingIdleTime(long idleSince)
    {
        if (_options.IdleTimeout == Timeout.InfiniteTimeSpan || ThreadCount <= MinThreads)
        {
            return Timeout.InfiniteTimeSpan;
        }

        TimeSpan remaining = _options.IdleTimeout - Stopwatch.GetElapsedTime(idleSince);
        return remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero;
    }

    /// <summary>Lets a worker go that is not announced and whose time is over. Its queues are empty.</summary>
    internal bool TryRetire(Worker worker, long idleSince)
    {
        if (RemainingIdleTime(idleSince) != TimeSpan.Zero)
        {
            return false;
        }

        Chaos.Point("NativeThreadPool.TryRetire, time is over");
        using (_threadLock.EnterScope())
        {
            if (_threadCount <= MinThreads || !Remove(worker))
            {
                return false;
            }
        }

        Chaos.Point("NativeThreadPool.TryRetire, removed");
        if (ThreadCount == 0)
        {
            External.Trim(); // the workers' own queues go with them
        }

        RequestForPending();
        return true;
    }

    /// <summary>The last act of a worker's thread.</summary>
    internal void WorkerEnded(Worker worker, bool abnormally)
    {
        if (abnormally)
        {
            NativeThreadingEventSource.Log.WorkerEnded(Name, worker.Name);
        }

        HandOver(worker);
        Chaos.Point("NativeThreadPool.WorkerEnded, handed over");
        bool left;
        using (_threadLock.EnterScope())
        {
            left = Remove(worker);
        }

        Chaos.Point("NativeThreadPool.WorkerEnded, removed");
        AfterThreadLeft();
        if (left && !IsStopped)
        {
            RequestForPending();
        }
    }

    /// <summary>Sets the priority of the calling thread, a new worker's.</summary>
    internal void ApplyPriority()
    {
        (int nice, int result) = ThreadNice.Apply(_options.ThreadPriority);
        if (result < 0 && Interlocked.Exchange(ref _priorityRefused, 1) == 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(Name, nice, -result);
        }
    }

    /// <summary>
    /// Starts as many threads as it takes for there to be <see cref="MinThreads"/>, instead of with the first items. A host
    /// does so before its server accepts anything.
    /// </summary>
    /// <returns>How many were started; 0 where there are enough.</returns>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OutOfMemoryException">A thread could not be started; those that were stay.</exception>
    public int StartMinThreads()
    {
        int started = 0;
        using (_threadLock.EnterScope())
        {
            ThrowIfShutDown();
            while (_threadCount < MinThreads)
            {
                StartWorker();
                started++;
            }
        }

        return started;
    }

    private void StartFirstWorker()
    {
        using (_threadLock.EnterScope())
        {
            if (_threadCount != 0 || IsStopped)
            {
                return;
            }

            // The new thread owns a request from the start, or the item it is started for would ask for a second one.
            bool requested = Signal.Request() == RequestOutcome.StartThread;
            try
            {
                StartWorker();
            }
            catch
            {
                if (requested)
                {
                    EndRefusedRequest();
                }

                throw;
            }
        }
    }

    /// <summary>Puts the worker to work that a request asked for; it owns the request and acknowledges it.</summary>
    internal void StartRequestedWorker()
    {
        Chaos.Point("NativeThreadPool.StartRequestedWorker");
        using (_threadLock.EnterScope())
        {
            // Between publication and request a worker that was about to park may have taken the item (T25).
            if (MayRunMore(MaxThreads) && PendingWorkItemCount != 0)
            {
                try
                {
                    CallBackOrStart();
                    _startFailed = false;
                    return;
                }
                catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
                {
                    PostponeStart(exception);
                }
            }
        }

        Chaos.Point("NativeThreadPool.StartRequestedWorker, refused");
        EndRefusedRequest();
    }

    /// <summary>Under the lock. Throws where no thread can be had; nothing has changed then.</summary>
    private void StartWorker()
    {
        int index = LowestFreeIndex();
        _monitor ??= new MonitorHold(); // no item is accepted without it, so there is always somebody who tries again

        Growth.Begin("worker");

        // All that can run out of memory comes before the first change, and the way back allocates nothing: a worker
        // without a thread would be waited for for ever.
        var worker = new Worker(this, index);
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

    /// <summary>
    /// Accepted work runs on the threads there are. No request can start a thread until the monitor tries again, so that a
    /// starved system is not asked at every enqueue. Under the lock; throws nothing, for the item is published (T36).
    /// </summary>
    /// <remarks>
    /// Whoever finds work and nobody to ask brings the pool to the monitor, as for any other reason: a producer, and the
    /// caller that ends the refused request. So nothing here needs the runtime's pool or its timers, which fail and starve
    /// where threads do.
    /// </remarks>
    private void PostponeStart(Exception exception)
    {
        _startFailedAt = Stopwatch.GetTimestamp();
        Volatile.Write(ref _startPostponed, true);
        Chaos.Point("NativeThreadPool.PostponeStart, postponed");
        CountsChanged();
        if (!_startFailed)
        {
            _startFailed = true;
            NativeThreadingEventSource.Log.ThreadStartFailed(Name, exception.Message, _threadCount);
        }
    }

    /// <summary>Called by the monitor at each look: some time after a start has failed, threads may be started again.</summary>
    internal void RetryPostponedStart()
    {
        if (!Volatile.Read(ref _startPostponed) || Stopwatch.GetElapsedTime(Volatile.Read(ref _startFailedAt)) < s_startRetry)
        {
            return;
        }

        using (_threadLock.EnterScope())
        {
            _startPostponed = false;
            CountsChanged();
        }

        Chaos.Point("NativeThreadPool.RetryPostponedStart, growable");

        RequestForPending();
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
        Chaos.Point("NativeThreadPool.Remove, not listed");
        _threadCount--;
        _completedByEnded += worker.CompletedCount;
        _stealsOfEnded += worker.StealCount;
        worker.IsListed = false;
        if (worker.IsCountedBlocked)
        {
            worker.IsCountedBlocked = false;
            _blockedCount--;
        }

        CountsChanged();
        return true;
    }

    /// <summary>Moves what an ended worker left behind to where the others find it (T39).</summary>
    private void HandOver(Worker worker)
    {
        if (worker.PendingCount == 0)
        {
            return;
        }

        var items = new List<WorkItem>();
        worker.TakeAll(items);
        foreach (WorkItem item in items)
        {
            External.Enqueue(item.Callback!, item.State, item.Context);
        }

        if (IsStopped)
        {
            RunLeftoversElsewhere();
        }
    }
}
