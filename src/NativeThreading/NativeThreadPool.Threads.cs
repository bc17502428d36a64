using NativeThreading.Diagnostics;
using NativeThreading.Roster;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>What has to be asked for when a thread comes or goes. The threads themselves are the roster's.</summary>
public sealed partial class NativeThreadPool
{
    private int _priorityRefused;

    /// <summary>
    /// Starts as many threads as it takes for there to be <see cref="MinThreads"/>, instead of with the first items. A host
    /// does so before its server accepts anything.
    /// </summary>
    /// <returns>How many were started; 0 where there are enough.</returns>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OutOfMemoryException">A thread could not be started; those that were stay.</exception>
    public int StartMinThreads()
    {
        ThrowIfShutDown();
        return Roster.StartUpTo(MinThreads);
    }

    /// <summary>Who exists, who is blocked, and who may start.</summary>
    internal ThreadRoster Roster { get; }

    /// <summary>Sets the priority of the calling thread, a new worker's.</summary>
    internal void ApplyPriority()
    {
        (int nice, int result) = ThreadNice.Apply(_options.ThreadPriority);
        if (result < 0 && Interlocked.Exchange(ref _priorityRefused, 1) == 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(Name, nice, -result);
        }
    }

    /// <summary>Lets a worker go that is not announced and whose time is over. Its queues are empty.</summary>
    internal bool TryRetire(Worker worker, long idleSince)
    {
        if (!Roster.TryRetire(worker, idleSince))
        {
            return false;
        }

        Chaos.Point("NativeThreadPool.TryRetire, removed");
        if (ThreadCount == 0)
        {
            External.Trim(); // the workers' own queues go with them
        }

        RequestForPending();
        return true;
    }

    /// <summary>The calling worker, which has nothing in hand, is one too many: it is counted to the reserve.</summary>
    internal bool TryEnterReserve()
    {
        if (!Roster.TryEnterReserve())
        {
            return false;
        }

        if (IsDraining)
        {
            TryFinishDraining();
        }

        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve; <see langword="false"/>: it is to end.</summary>
    internal bool WaitInReserve(Worker worker, long since)
    {
        if (Roster.WaitInReserve(worker, since))
        {
            return !IsStopped;
        }

        Chaos.Point("NativeThreadPool.WaitInReserve, leaves");
        if (IsStopped)
        {
            Leftovers.RunAllElsewhere(); // what it handed over
        }

        RequestForPending(); // where the number of threads was at its limit, another may be started now
        return false;
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
        bool left = Roster.RemoveEnded(worker);
        Chaos.Point("NativeThreadPool.WorkerEnded, removed");
        _lifecycle.AfterThreadLeft();
        if (left && !IsStopped)
        {
            RequestForPending();
        }
    }

    /// <summary>Puts the worker to work that a request asked for; it owns the request and acknowledges it.</summary>
    internal void StartRequestedWorker()
    {
        Chaos.Point("NativeThreadPool.StartRequestedWorker");
        if (!Roster.TryStartRequested())
        {
            Chaos.Point("NativeThreadPool.StartRequestedWorker, refused");
            EndRefusedRequest();
        }
    }

    /// <summary>Called by the monitor at each look: some time after a start has failed, threads may be started again.</summary>
    internal void RetryPostponedStart()
    {
        if (Roster.TryEndPostponement())
        {
            RequestForPending();
        }
    }

    private void StartFirstWorker()
    {
        bool requested = false;
        try
        {
            Roster.StartFirst(ref requested);
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

    /// <summary>Moves what an ended worker left behind to where the others find it (T39).</summary>
    private void HandOver(Worker worker)
    {
        Roster.HandOver(worker);
        if (IsStopped)
        {
            Leftovers.RunAllElsewhere();
        }
    }
}
