using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Scheduling;

/// <summary>Requests workers, one request at a time, and repairs a request whose wake-up was lost.</summary>
internal sealed class WorkerRequests(NativeThreadPool pool)
{
    private long _repairs;

    /// <summary>The number of lost wake-ups that were repeated.</summary>
    public long RepairCount => Volatile.Read(ref _repairs);

    /// <summary>Makes the one request, if <paramref name="word"/>, read after a full fence, says that one is needed. If no worker can be woken
    /// or started for the item, registers the pool with the monitor.</summary>
    public void Request(ulong word)
    {
        try
        {
            while (!IsAskedAlready(word) && !TryRequest(word))
            {
                // Since the word was read, another thread has taken the idle worker or the permission to start one: a worker that left a
                // region is now one too many, and may wait for this very item next. So decide again, also about the monitor.
                word = pool.Signal.Word;
            }
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached. Items call this, and their threads may be aborted.
        }
    }

    /// <summary>Called after GROWABLE was set. Producers that publish from now on request a thread themselves; this method sees the items that
    /// were published before. The barrier is for workers that pushed and read the word without a fence (T16).</summary>
    public void RequestForPending()
    {
        Chaos.Point("WorkerRequests.RequestForPending");
        Counters.Add(Counted.OtherBarrier);
        ProcessBarrier.Issue();
        if (pool.State.RunnableCount != 0)
        {
            Request(pool.Signal.Word);
        }
    }

    /// <summary>Starts the first thread. If the start fails, its exception is thrown before anything is published.</summary>
    public void StartFirstWorker()
    {
        bool requested = false;
        try
        {
            pool.Roster.StartFirst(ref requested);
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
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

    /// <summary>Starts the worker that a request asked for. That worker owns the request and acknowledges it.</summary>
    public void StartRequestedWorker()
    {
        Chaos.Point("WorkerRequests.StartRequestedWorker");
        if (!pool.Roster.TryStartRequested())
        {
            Chaos.Point("WorkerRequests.StartRequestedWorker, refused");
            EndRefusedRequest();
        }
    }

    /// <summary>Called by the monitor at each sample: some time after a failed start, threads may be started again.</summary>
    public void RetryPostponedStart()
    {
        if (pool.Roster.TryEndPostponement())
        {
            RequestForPending();
        }
    }

    /// <summary>Called by a thread that finds an overdue request: registers the pool with the monitor. Otherwise a lost wake-up would suppress
    /// all later ones (T5). An overdue request alone proves nothing, because the whole process may have been stopped meanwhile.</summary>
    public void MonitorIfLate(ulong word)
    {
        if ((word & SignalWord.Requested) != 0 && WorkerSignal.Age(word) > StarvationTuning.LateRequest)
        {
            pool.BeginMonitoring();
        }
    }

    /// <summary>Called by the watchdog when no worker has come while the word did not change: withdraws the pending request, if there is one, makes
    /// a new one and counts it.</summary>
    public void Repair(ulong word, TimeSpan age)
    {
        if ((word & SignalWord.Requested) == 0 || pool.Signal.TryWithdrawRequest(word))
        {
            Interlocked.Increment(ref _repairs);
            NativeThreadingEventSource.Log.LostRequestRepaired(pool.Name, (long)age.TotalMilliseconds);
            Request(pool.Signal.Word);
        }
    }

    /// <summary>Makes the request, or registers the pool with the monitor. <see langword="false"/>: no request is needed any more as the word
    /// is now.</summary>
    private bool TryRequest(ulong word)
    {
        Chaos.Point("WorkerRequests.TryRequest, none pending");
        if ((word & WorkerSignal.MayGetRunner) == 0)
        {
            pool.BeginMonitoring();
            return true;
        }

        pool.State.Linger.NoteRequest();
        RequestOutcome outcome = pool.Signal.Request();
        Chaos.Point("WorkerRequests.TryRequest, requested");
        if (outcome == RequestOutcome.StartThread)
        {
            StartRequestedWorker();
        }

        return outcome != RequestOutcome.NotNeeded;
    }

    /// <summary>Whether a worker will scan the queues without a request of the caller.</summary>
    private bool IsAskedAlready(ulong word)
    {
        if ((word & SignalWord.Requested) != 0)
        {
            MonitorIfLate(word);
            return true;
        }

        return (word & SignalWord.Lingering) != 0 || IsOneOnItsWay(word);
    }

    /// <summary>Whether a worker is between two items, or before its first. Such a worker still scans all queues, and requests the next worker
    /// itself if there are more items than it takes. Checking one worker is cheaper than a wake-up; checking all of them is cheaper than starting a
    /// thread.</summary>
    private bool IsOneOnItsWay(ulong word)
    {
        if (pool.State.LastToLook is { IsLooking: true })
        {
            return true;
        }

        Chaos.Point("WorkerRequests.IsOneOnItsWay, the last one is not");
        if ((word & SignalWord.IdleMask) == 0)
        {
            foreach (Worker worker in pool.Workers)
            {
                Counters.Add(Counted.RequestLook);
                if (worker.IsLooking)
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>The request failed. Clears it and rescans: producers skipped their own requests while it was pending, and a worker may have
    /// parked meanwhile. Likewise the pool could not finish draining, and a stop woke no worker, while the request was pending.</summary>
    private void EndRefusedRequest()
    {
        pool.Signal.Acknowledge();
        Chaos.Point("WorkerRequests.EndRefusedRequest, acknowledged");
        if (pool.IsStopped)
        {
            pool.PassStopOn();
        }
        else if (pool.State.RunnableCount != 0)
        {
            Request(pool.Signal.Word);
        }
        else if (pool.State.AwaitsIdle)
        {
            pool.TryFinishDraining();
        }
    }
}
