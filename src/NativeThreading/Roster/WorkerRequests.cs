using NativeThreading.Cores;
using NativeThreading.Diagnostics;
using NativeThreading.Interop;
using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>Asking for a worker, one request at a time, and repairing a request that nobody honours.</summary>
internal sealed class WorkerRequests(NativeThreadPool pool)
{
    private long _repairs;

    /// <summary>Wakes that were lost and repeated.</summary>
    public long RepairCount => Volatile.Read(ref _repairs);

    /// <summary>Makes the one request, if <paramref name="word"/>, read after a full fence, says that one is needed. Where nobody
    /// can be had to run the item, the monitor is told that it waits.</summary>
    public void Request(ulong word)
    {
        while (!IsAskedAlready(word))
        {
            Chaos.Point("WorkerRequests.Request, none pending");
            if ((word & WorkerSignal.MayGetRunner) == 0)
            {
                pool.BeginMonitoring();
                return;
            }

            RequestOutcome outcome = pool.Signal.Request();
            Chaos.Point("WorkerRequests.Request, requested");
            if (outcome == RequestOutcome.StartThread)
            {
                StartRequestedWorker();
            }

            if (outcome != RequestOutcome.NotNeeded)
            {
                return;
            }

            // The worker or the thread that the word promised was taken since it was read: a worker that has left a region
            // is one too many now, and may wait for this very item next. So what to do, and whether to have it watched, is
            // decided anew.
            word = pool.Signal.Word;
        }
    }

    /// <summary>After GROWABLE has been set: whoever publishes from now on asks for a thread; what was published before is seen
    /// here. The barrier is for workers that pushed and read the word without a fence (T16).</summary>
    public void RequestForPending()
    {
        Chaos.Point("WorkerRequests.RequestForPending");
        Counters.Add(Counted.OtherBarrier);
        ProcessBarrier.Issue();
        if (pool.PendingWorkItemCount != 0)
        {
            Request(pool.Signal.Word);
        }
    }

    /// <summary>Starts a thread where there is none. Throws what starting one throws, before anything is published.</summary>
    public void StartFirstWorker()
    {
        bool requested = false;
        try
        {
            pool.Roster.StartFirst(ref requested);
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

    /// <summary>Puts the worker to work that a request asked for; it owns the request and acknowledges it.</summary>
    public void StartRequestedWorker()
    {
        Chaos.Point("WorkerRequests.StartRequestedWorker");
        if (!pool.Roster.TryStartRequested())
        {
            Chaos.Point("WorkerRequests.StartRequestedWorker, refused");
            EndRefusedRequest();
        }
    }

    /// <summary>Called by the monitor at each look: some time after a start has failed, threads may be started again.</summary>
    public void RetryPostponedStart()
    {
        if (pool.Roster.TryEndPostponement())
        {
            RequestForPending();
        }
    }

    /// <summary>Whoever meets a request that is late has the monitor watch it. A signal that was lost would otherwise suppress all
    /// later ones for ever (T5). Late alone proves nothing: the whole process may have been stopped meanwhile.</summary>
    public void MonitorIfLate(ulong word)
    {
        if ((word & SignalWord.Requested) != 0 && WorkerSignal.Age(word) > StarvationTuning.LateRequest)
        {
            pool.BeginMonitoring();
        }
    }

    /// <summary>The watchdog has seen that nobody comes, with this word all the while: whatever request stands is taken back, and a
    /// new one is made and counted.</summary>
    public void Repair(ulong word, TimeSpan age)
    {
        if ((word & SignalWord.Requested) == 0 || pool.Signal.TryWithdrawRequest(word))
        {
            Interlocked.Increment(ref _repairs);
            NativeThreadingEventSource.Log.LostRequestRepaired(pool.Name, (long)age.TotalMilliseconds);
            Request(pool.Signal.Word);
        }
    }

    /// <summary>Whether somebody will look without being asked by the caller.</summary>
    private bool IsAskedAlready(ulong word)
    {
        if ((word & SignalWord.Requested) != 0)
        {
            MonitorIfLate(word);
            return true;
        }

        return (word & SignalWord.Lingering) != 0 || (Mechanisms.LookersCount && IsOneOnItsWay(word));
    }

    /// <summary>Whether a worker is between two items, or before its first. It looks at all queues yet, and asks for the next one
    /// itself if there is more than it takes. A wake costs more than to look at one worker, a start more than at all.</summary>
    private bool IsOneOnItsWay(ulong word)
    {
        if (pool.State.LastToLook is { IsLooking: true })
        {
            return true;
        }

        Chaos.Point("WorkerRequests.IsOneOnItsWay, the last one is not");
        if ((word & SignalWord.IdleMask) == 0)
        {
            foreach (Worker worker in pool.Roster.Workers)
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

    /// <summary>Nobody comes: the request is over. While it stood others asked for nobody, so what they published is looked for here, and a
    /// worker that has parked meanwhile is woken. Likewise the pool was not done draining while it stood, and a stop woke nobody.</summary>
    private void EndRefusedRequest()
    {
        pool.Signal.Acknowledge();
        Chaos.Point("WorkerRequests.EndRefusedRequest, acknowledged");
        if (pool.IsStopped)
        {
            pool.PassStopOn();
        }
        else if (pool.PendingWorkItemCount != 0)
        {
            Request(pool.Signal.Word);
        }
        else if (pool.IsDraining)
        {
            pool.TryFinishDraining();
        }
    }
}
