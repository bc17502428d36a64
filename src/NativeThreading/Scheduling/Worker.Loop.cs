using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// What a worker does while it finds items, from top to bottom: it runs its own items, checks the other queues from time to time, and takes from
/// elsewhere. <see cref="IdleLoop"/> has what follows.
/// </summary>
/// <remarks>
/// Neighbours: <see cref="InjectorFetch"/> takes from the injector queue, <see cref="Priorities"/> from its shards of a priority, <see cref="Thief"/> from other workers, <see cref="QueueScan"/> only
/// reads. <see cref="Pace"/> says when the next check is due, and <see cref="ItemOrder"/> which worker is late with its items. Worker.Execute.cs runs
/// one item. Model: native/models/worker_signal.pml.
/// </remarks>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// Runs items until this worker finds none, or until the pool has stopped. On entry the request that brought the
    /// worker here is acknowledged.
    /// </summary>
    private void Dispatch()
    {
        // The worker was woken for something, and while it was on its way no other worker was asked: it passes the request on before it runs
        // anything, if there is more (T4, T55). Likewise after each transfer from elsewhere (T9).
        do
        {
            RunFirst();
            RunOwn();
            if (_installed.Item is not null)
            {
                ResetContext(); // the following code belongs to no item, and may call listeners
            }

            Chaos.Point("Worker.Dispatch, nothing left");
            BeginLooking();
        }
        while (Refill());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunFirst()
    {
        WorkItem item = default;
        if (_queues.TryTake(ref item))
        {
            Run(ref item);
        }
    }

    /// <summary>The hot loop. The item lives in registers: nothing here takes its address.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunOwn()
    {
        WorkItem item = default;
        while (_state.Attention == Attention.None || Attend())
        {
            if (--_pace.PicksLeft <= 0)
            {
                item = default; // the one before; it has run, and this frame would keep it alive during the items of the check
                if (TakeALook())
                {
                    continue;
                }
            }

            if (!_queues.TryTake(ref item))
            {
                return;
            }

            Execute(item.Callback!, item.State, item.Context);
        }
    }

    /// <summary>
    /// Between two items, while the pool needs attention. <see langword="false"/>: it has stopped, or more workers run than may, and this one
    /// should leave.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Attend()
    {
        Chaos.Point("Worker.Attend");
        Blocking.EndProof();
        if (_state.MayGoOn && (_state.Attention & Attention.Priorities) != 0)
        {
            _priorities.RunHigh();
        }

        return _state.MayGoOn;
    }

    /// <summary>
    /// The check of a worker whose queues never empty: it runs overdue items of other workers and, less often, serves the other queues, so that
    /// none of them starves (T27). Returns whether it ran an item. Items are run here and not moved: after the worker's own items they would be
    /// overtaken by newer ones.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TakeALook()
    {
        long now = Stopwatch.GetTimestamp();
        _throttle.EndIfOver(now);
        bool isAtOtherQueues = _pace.IsAtOtherQueues;
        if (isAtOtherQueues)
        {
            _pace.BeginLook(now);
            Order.EndHolding();
        }

        WorkItem item = default;
        bool othersHold = Order.OthersHold;
        bool isLong = Order.Check(now, othersHold);
        if (othersHold && _thief.TryTakeOlder(now, evenInTime: isLong, ref item))
        {
            Run(ref item);
            return true;
        }

        if (!isAtOtherQueues)
        {
            return false;
        }

        bool ran = TryRun(_queues.TryTakeOf(lane: true, ref item), ref item);

        // A worker that holds a batch of the injector queue, or comes from a range, already serves the injector queue.
        return _queues.HeldCount > 0
            ? ran
            : (!_injector.EndServing() && _injector.RunSome(now)) || TryRun(_thief.TryTakeFromNext(now, ref item), ref item) || ran;
    }

    /// <summary>Brings items of the injector queue, or of another worker, into the own lane.</summary>
    private bool Refill()
    {
        if (_state.Attention != Attention.None)
        {
            Blocking.EndProof();
            if (!_state.MayGoOn)
            {
                return false;
            }

            if (_thief.TryStealFromBlocked())
            {
                return true;
            }
        }

        if (_throttle.IsOn)
        {
            _throttle.EndIfOver(Stopwatch.GetTimestamp());
        }

        // What another worker moved and does not run soon is older than the items outside.
        WorkItem item = default;
        if (Order.OthersHold && TryRun(_thief.TryTakeOlder(Stopwatch.GetTimestamp(), evenInTime: false, ref item), ref item))
        {
            return true;
        }

        Chaos.Point("Worker.Refill, own queues empty");
        if (_injector.TryFetch() || _priorities.RunAny())
        {
            return true;
        }

        if (!_scan.MayOthersHold(_signal.Word))
        {
            return false;
        }

        Chaos.Point("Worker.Refill, nothing outside");
        return _thief.TrySteal();
    }

    /// <summary>The worker has run all that it found. Returns <see langword="true"/> if there may be work (the request that woke the worker is
    /// acknowledged), <see langword="false"/> if the worker should end.</summary>
    private bool WaitForWork()
    {
        _group.Report();
        if (_throttle.IsOn && !_state.MayGoOn)
        {
            LeaveItemsToOthers();
        }

        if (_state.IsStopped)
        {
            return false;
        }

        long now = Stopwatch.GetTimestamp();
        Order.NoteIdle(now);
        return _state.HasSurplus && _exit.TryEnterReserve(this) ? StayInReserve(now) : _idle!.WaitForWork(now);
    }

    /// <summary>The worker will not run the waiting items soon, and while it throttled wakes, producers have woken no worker for them. So it ends its
    /// throttle, if there is one, and asks for another worker.</summary>
    public void LeaveItemsToOthers()
    {
        Chaos.Point("Worker.LeaveItemsToOthers");
        _throttle.End();
        PassRequestOn();
    }
}
