using NativeThreading.Diagnostics;
using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>
/// How a worker leaves: it retires, it goes into the reserve, or its thread ends. What it leaves undone is seen to: its items,
/// a request for another thread, the end of a pool that drains.
/// </summary>
internal sealed class Departures(NativeThreadPool pool, PoolLifecycle lifecycle)
{
    /// <summary>Lets a worker go that is not announced and whose time is over. Its queues are empty.</summary>
    public bool TryRetire(Worker worker, long idleSince)
    {
        if (!pool.Roster.TryRetire(worker, idleSince))
        {
            return false;
        }

        Chaos.Point("Departures.TryRetire, removed");
        if (pool.ThreadCount == 0)
        {
            pool.Injector.Trim(); // the workers' own queues go with them
        }

        pool.Requests.RequestForPending();
        return true;
    }

    /// <summary>The calling worker, which has nothing in hand, is one too many: it is counted to the reserve.</summary>
    public bool TryEnterReserve()
    {
        if (!pool.Roster.TryEnterReserve())
        {
            return false;
        }

        if (pool.IsDraining)
        {
            lifecycle.TryFinishDraining();
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

        Chaos.Point("Departures.WaitInReserve, leaves");
        HandOver(worker); // it has handed over; after a stop nobody looks there
        pool.Requests.RequestForPending(); // where the number of threads was at its limit, another may be started now
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
        Chaos.Point("Departures.WorkerEnded, handed over");
        bool left = pool.Roster.RemoveEnded(worker);
        Chaos.Point("Departures.WorkerEnded, removed");
        lifecycle.AfterThreadLeft();
        if (left && !pool.IsStopped)
        {
            pool.Requests.RequestForPending();
        }
    }

    /// <summary>Moves what is in a worker's queues to where the others find it (T39), or, after a stop, elsewhere.</summary>
    public void HandOver(Worker worker)
    {
        pool.Roster.HandOver(worker);
        if (pool.IsStopped)
        {
            pool.Leftovers.RunAllElsewhere();
        }
    }
}
