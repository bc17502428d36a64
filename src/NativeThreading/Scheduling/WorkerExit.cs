using NativeThreading.Queues;
using NativeThreading.Tracing;

namespace NativeThreading.Scheduling;

/// <summary>How a worker leaves: it retires, it goes into the reserve, or its thread ends. Its items are handed over, a thread that
/// may be started in its place is asked for, and a draining pool asks whether it is done.</summary>
internal sealed class WorkerExit(NativeThreadPool pool)
{
    /// <summary>Removes a worker whose idle time is over. It is not announced, and its queues are empty.</summary>
    public bool TryRetire(Worker worker, long idleSince)
    {
        if (!pool.Roster.TryRetire(worker, idleSince))
        {
            return false;
        }

        Chaos.Point("WorkerExit.TryRetire, removed");
        if (pool.ThreadCount == 0)
        {
            pool.Injector.Trim(); // the workers' own queues go with them
        }

        pool.Requests.RequestForPending();
        return true;
    }

    /// <summary>Counts the calling worker, which has no item in hand, into the reserve: a rescue thread, or if more run than may.</summary>
    public bool TryEnterReserve(Worker worker)
    {
        if (!pool.Roster.TryEnterReserve(worker))
        {
            return false;
        }

        if (pool.State.AwaitsIdle)
        {
            pool.TryFinishDraining();
        }

        return true;
    }

    /// <summary>Parks the calling worker, which has entered the reserve; <see langword="false"/>: it is to end.</summary>
    public bool WaitInReserve(Worker worker, long since)
    {
        if (pool.Roster.WaitInReserve(worker, since))
        {
            return !pool.IsStopped;
        }

        Chaos.Point("WorkerExit.WaitInReserve, leaves");
        HandOver(worker); // the roster has moved its items to the injector queue, which no worker serves after a stop
        pool.Requests.RequestForPending(); // a pool that was at its limit may start another thread now
        return false;
    }

    /// <summary>The last act of a worker's thread.</summary>
    public void WorkerEnded(Worker worker, bool abnormally)
    {
        if (abnormally)
        {
            NativeThreadingEventSource.Log.WorkerEnded(pool.Name, worker.Name);
        }

        HandOver(worker);
        Chaos.Point("WorkerExit.WorkerEnded, handed over");
        bool left = pool.Roster.RemoveEnded(worker);
        Chaos.Point("WorkerExit.WorkerEnded, removed");
        if (left)
        {
            WorkerLeft();
        }
        else
        {
            pool.AfterThreadLeft();
        }
    }

    /// <summary>A worker has just been removed from the list: its thread ends, or could not be started.</summary>
    public void WorkerLeft()
    {
        Chaos.Point("WorkerExit.WorkerLeft");
        pool.AfterThreadLeft();
        if (!pool.IsStopped)
        {
            pool.Requests.RequestForPending();
        }
    }

    /// <summary>Moves a worker's items into the injector queue (T39); after a stop they run on the built-in pool.</summary>
    public void HandOver(Worker worker)
    {
        Scheduling.HandOver.To(pool.Injector, worker);
        if (pool.IsStopped)
        {
            pool.SettleLeftovers();
        }
    }
}

/// <summary>Hand-over: moves the items of a worker that leaves into the injector queue (T39).</summary>
internal static class HandOver
{
    public static void To(InjectorQueue injector, Worker worker)
    {
        if (worker.PendingCount != 0)
        {
            var items = new List<WorkItem>();
            worker.Queues.TakeAll(items);
            foreach (WorkItem item in items)
            {
                if (injector.IsPaused)
                {
                    injector.EnqueueContinuing(0, item.Callback!, item.State, item.Context); // the items that an item has queued continue it
                }
                else
                {
                    injector.Enqueue(item.Callback!, item.State, item.Context);
                }
            }
        }
    }
}
