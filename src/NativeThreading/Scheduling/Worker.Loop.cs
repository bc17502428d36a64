using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// What a worker does from waking to parking, from top to bottom: it runs its own items, checks the other queues from time to time, takes
/// from elsewhere, spins, announces itself idle, scans a last time, and parks.
/// </summary>
/// <remarks>
/// Neighbours: <see cref="InjectorFetch"/> takes from the injector queue, <see cref="Priorities"/> from its shards of a priority, <see cref="Thief"/> from other workers, <see cref="QueueScan"/> only
/// reads. <see cref="Pace"/> says when the next check is due, <see cref="ItemOrder"/> which worker is late with its items,
/// <see cref="LingerPolicy"/> whether spinning pays, and <see cref="Parker"/> parks. Worker.Execute.cs runs one item. Model:
/// native/models/worker_signal.pml.
/// </remarks>
internal sealed unsafe partial class Worker
{
    private Parker? _parker; // from the start of its thread on; a rescue thread has none
    private LeftoverInterrupt _leftover = new();
    private long _completedBefore = -1; // the count at the last idle period; -1 for a new worker

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

    /// <summary>
    /// The states of an idle worker: it spins, scans, announces itself, scans again, and withdraws or parks. After parking it was chosen, or its
    /// time is up, and it scans again or retires. Returns <see langword="true"/> if there may be work (the request that woke the worker is
    /// acknowledged), <see langword="false"/> if the worker should end.
    /// </summary>
    private bool WaitForWork()
    {
        _group.Report();
        if (_state.IsStopped)
        {
            return false;
        }

        var idle = new IdlePeriod(Stopwatch.GetTimestamp());
        Order.NoteIdle(idle.Since);
        if (_state.HasSurplus && _exit.TryEnterReserve(this))
        {
            return StayInReserve(idle.Since);
        }

        YieldIfNothingWasDone();
        Chaos.Point("Worker.WaitForWork");
        if (Linger())
        {
            return true;
        }

        _leftover.DropIfDue(idle.Since); // the item that was to be interrupted has completed (T137)
        for (Finding found = _scan.Look(Stopwatch.GetTimestamp()); found != Finding.Work; )
        {
            Announce(ref idle, found);
            found = LookAnnounced(ref idle);
            if (IsToWithdraw(found, in idle))
            {
                Withdraw();
                if (_state.IsStopped)
                {
                    return false;
                }

                continue;
            }

            if (_state.AwaitsIdle)
            {
                Pool.TryFinishDraining();
            }

            if (Park(ref idle))
            {
                return !_state.IsStopped;
            }

            Chaos.Point("Worker.WaitForWork, time is over");
            if (_exit.TryRetire(this, idle.Since))
            {
                return false;
            }

            found = _scan.Look(Stopwatch.GetTimestamp());
        }

        return true;
    }

    /// <summary>
    /// Polls for about one wake-up latency, if no other thread of the process polls. While LINGERING is set, producers write
    /// nothing and wake no worker. Returns <see langword="true"/> if it saw work. Clearing the bit is a full fence, and
    /// the worker scans and passes the request on before it runs an item, like a woken worker (T48).
    /// </summary>
    private bool Linger()
    {
        if (_state.Linger.Yields)
        {
            return LingerByYield();
        }

        if (!_state.Linger.TryBegin(_signal))
        {
            return false;
        }

        Counters.Add(Counted.Linger);
        Chaos.Point("Worker.Linger, started");
        bool found = _scan.LookUntil(Stopwatch.GetTimestamp() + _state.Linger.Duration);
        Chaos.Point("Worker.Linger, polled");
        _state.Linger.End(_signal, found);
        return found;
    }

    /// <summary>
    /// From here on the worker is idle, and producers must wake it. A worker that queues itself one item at a time wakes no other worker, as
    /// long as there is a sentinel.
    /// </summary>
    private void Announce(ref IdlePeriod idle, Finding found)
    {
        idle.IsSentinel = found == Finding.Lone && _parker!.Announce(asSentinel: true);
        if (!idle.IsSentinel)
        {
            _parker!.Announce(asSentinel: false);
        }

        Chaos.Point("Worker.Announce, announced");
        EndLooking();
    }

    /// <summary>Final scan after announcing idle (Dekker pair with the producer's fence): either this scan sees an item, or the producer sees the
    /// announcement.</summary>
    private Finding LookAnnounced(ref IdlePeriod idle)
    {
        ulong word = _signal.Word;
        Chaos.Point("Worker.LookAnnounced, word read");
        idle.OthersRun = WorkerSignal.IdleCount(word) + _state.ReserveCount < _state.ThreadCount;
        if (idle is { OthersRun: true, IsSentinel: false })
        {
            // A worker that pushes without a fence may not have seen the announcement, and this worker may not have seen its item.
            // After the barrier, one of the two has. Pairs with the plain read in AskForHelpIfNeeded. The sentinel scans again
            // anyway, and a worker that is alone has no such producer.
            Counters.Add(Counted.ParkBarrier);
            ProcessBarrier.Issue();
        }

        Finding found = _scan.Look(Stopwatch.GetTimestamp(), announced: 1);
        Chaos.Point("Worker.LookAnnounced, looked");
        return found;
    }

    /// <summary>As <see cref="Linger"/>, with one yield instead of all polls. Otherwise a producer on the same processor wakes this worker for each
    /// item, and the worker takes the processor from the producer each time.</summary>
    private bool LingerByYield()
    {
        long began = Stopwatch.GetTimestamp();
        if (!YieldRule.MayYield(began) || !_signal.TryBeginLinger())
        {
            return false;
        }

        Chaos.Point("Worker.LingerByYield, started");
        EndLooking(); // as in YieldIfNothingWasDone
        SpinRule.Pause(yields: true);
        BeginLooking();
        long now = Stopwatch.GetTimestamp();
        YieldRule.Note(now, now - began, _state.Injector.Count);
        bool found = _scan.Look(now) == Finding.Work;
        Chaos.Point("Worker.LingerByYield, looked");
        _signal.EndLinger();
        return found;
    }

    /// <summary>Whether there is work that no other worker takes care of.</summary>
    private bool IsToWithdraw(Finding found, in IdlePeriod idle)
    {
        // Read after the scan: a sentinel that left before the scan is not responsible for the items that the scan saw.
        bool hasSentinel = (_signal.Word & SignalWord.Sentinel) != 0;
        return found == Finding.Work || (found == Finding.Lone && !idle.IsSentinel && !hasSentinel) || _state.IsStopped;
    }

    private void Withdraw()
    {
        BeginLooking();
        Chaos.Point("Worker.Withdraw");
        if (_parker!.Withdraw())
        {
            _signal.Acknowledge();
        }
    }

    /// <summary>Parks. Returns <see langword="true"/> if a producer chose the worker; otherwise its idle time, or the time until its next scan, is
    /// up.</summary>
    private bool Park(ref IdlePeriod idle)
    {
        Chaos.Point("Worker.Park");
        long parkedAt = Stopwatch.GetTimestamp();
        Blocking.BeginPark();
        bool chosen = _parker!.Park(idle.NextTimeout(_state.RemainingIdleTime(idle.Since)));
        Blocking.EndPark();
        Chaos.Point("Worker.Park, back");
        if (chosen)
        {
            BeginLooking();
            Chaos.Point("Worker.Park, chosen");
            _signal.Acknowledge();
            long now = Stopwatch.GetTimestamp();
            _state.Linger.NoteGap(now - parkedAt);
            _leftover.NoteRun(now);
        }
        else if (idle.NoteTimeout())
        {
            _requests.MonitorIfLate(_signal.Word);
        }

        return chosen;
    }

    /// <summary>
    /// A worker that saw work and could not take it was late, or met a shard or a gate whose holder lost its CPU while holding
    /// it. Scanning again at once would keep that CPU from the holder until the end of a time slice, 4 ms here.
    /// </summary>
    private void YieldIfNothingWasDone()
    {
        if (_completed.Value == _completedBefore)
        {
            EndLooking(); // while another thread has the CPU, this worker does not scan
            Thread.Yield();
            BeginLooking();
        }

        _completedBefore = _completed.Value;
    }
}
