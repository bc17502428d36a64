using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// The reserve, in which a worker stays while enough others run, and rescue threads. A rescue thread is a worker beyond the pool's limit. The pool is at that limit and all its workers are blocked, perhaps by waiting for items that
/// lie behind them in a queue. A rescue thread runs items that continue work, and nothing else. It is never announced idle, so no request finds
/// it, and it never counts as scanning, so no producer relies on it.
/// </summary>
internal sealed unsafe partial class Worker
{
    private int _turn;

    /// <summary>Whether it is a rescue thread.</summary>
    public bool IsRescue { get; }

    /// <summary>Runs what continues work until nothing of it is left, or until a worker of the pool runs again.</summary>
    private void RunContinuing()
    {
        WorkItem item = default;
        Blocking.EndProof();
        while (_state.NeedsRescue && TryTakeContinuing(ref item))
        {
            Chaos.Point("Worker.RunContinuing, taken");
            Run(ref item);
            Blocking.EndProof();
        }

        if (_installed.Item is not null)
        {
            ResetContext();
        }
    }

    /// <summary>Parks until the monitor needs one more; <see langword="false"/>: the thread is to end.</summary>
    private bool WaitForRescue()
    {
        _group.Report();
        if (!_exit.TryEnterReserve(this))
        {
            return false; // the pool has stopped
        }

        Chaos.Point("Worker.WaitForRescue, entered");
        return ParkInReserve(since: 0);
    }

    private bool ParkInReserve(long since)
    {
        Interruption.Drop();
        Blocking.BeginReserve();
        bool calledBack = _exit.WaitInReserve(this, since);
        Blocking.EndPark();
        return calledBack;
    }

    /// <summary>
    /// Takes an item that continues work: of its own queues, of those that lie apart, the latest generation first, or of a blocked worker. What a
    /// blocked worker of the pool's own has queued belongs to the first generation, and each other time comes before the separate items; what rescue
    /// threads have queued belongs to the last.
    /// </summary>
    private bool TryTakeContinuing(ref WorkItem item)
    {
        if (_queues.TryTake(ref item) || TryTakeLocal(ofRescuers: true, ref item))
        {
            return true;
        }

        bool localFirst = (++_turn & 1) == 0;
        return (localFirst && TryTakeLocal(ofRescuers: false, ref item))
            || TryTakeApart(ref item)
            || (!localFirst && TryTakeLocal(ofRescuers: false, ref item));
    }

    private bool TryTakeApart(ref WorkItem item)
    {
        for (int generation = RescueShares.Generations - 1; generation >= 0; generation--)
        {
            if (MayRun(generation) && _state.Injector.TryTakeContinuing(generation, ref item))
            {
                return true;
            }
        }

        return false;
    }

    private bool TryTakeLocal(bool ofRescuers, ref WorkItem item)
    {
        foreach (Worker other in ofRescuers || MayRun(generation: 0) ? _state.Workers : [])
        {
            if (other != this
                && other.IsRescue == ofRescuers
                && other.LeavesItems
                && other.Queues.AnyContinuing(ContinuingItem.Is, Pool.Scheduler)
                && other.Queues.TryTakeContinuing(static other => other.LeavesItems, other, ContinuingItem.Is, Pool.Scheduler, Demand, ref item))
            {
                return true;
            }
        }

        return false;
    }

    private bool MayRun(int generation) => _state.RescuersInUse <= _state.Shares.MostFor(generation);

    /// <summary>Whether the items in its queues are for rescue threads: it is blocked, or a rescue thread itself.</summary>
    public bool LeavesItems => IsRescue || Blocking.IsBlocked;

    /// <summary>Parks until the pool needs another worker; returns as <see cref="WaitForWork"/> does.</summary>
    private bool StayInReserve(long since)
    {
        // A request may have chosen this worker, which now leaves without scanning for the item of that request. So it passes the
        // request on to an idle worker, which then also finds the items in this worker's own queues.
        Chaos.Point("Worker.StayInReserve, entered");
        EndLooking();
        PassRequestOn();
        bool calledBack = ParkInReserve(since);
        Chaos.Point("Worker.StayInReserve, back");
        if (calledBack)
        {
            BeginLooking();
        }

        _signal.Acknowledge();
        return calledBack;
    }
}
