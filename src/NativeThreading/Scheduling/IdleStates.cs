using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>The states of one idle worker: it lingers, announces itself, scans, and parks.</summary>
internal sealed class IdleStates(Worker worker, PoolState state, QueueScan scan, Parker parker)
{
    private long _completedBefore = -1; // the count at the last idle period; -1 for a new worker
    private LeftoverInterrupt _leftover = new();

    /// <summary>One idle period of a worker: from its last item to its next one, or to its end.</summary>
    private struct Stay(long since)
    {
        public readonly long Since => since;

        /// <summary>Whether it is announced as the sentinel: the one worker that rechecks a lone item of another worker within a bounded time.</summary>
        public bool IsSentinel { get; set; }

        /// <summary>The time until the sentinel's next scan.</summary>
        public TimeSpan NextLook { get; set; } = WorkerTuning.FirstSentinelLook;

        /// <summary>Whether other workers were running after it had announced itself.</summary>
        public bool OthersRun { get; set; }

        /// <summary>Whether the last worker to park has made its late scan.</summary>
        public bool HasLookedLate { get; set; }
    }

    /// <summary>
    /// The states of an idle worker, as in native/models/worker_signal.pml: it lingers, scans, announces itself, scans again,
    /// and withdraws or parks. After parking it was chosen, or its time is up, and it scans again or retires. Returns
    /// <see langword="true"/> if there may be work (the request that woke the worker is acknowledged),
    /// <see langword="false"/> if the worker should end.
    /// </summary>
    public bool WaitForWork()
    {
        worker.SettleAccounts();
        if (state.IsStopped)
        {
            return false;
        }

        var stay = new Stay(Stopwatch.GetTimestamp());
        worker.Order.NoteIdle(stay.Since);
        if (state.HasSurplus && worker.Pool.Exit.TryEnterReserve(worker))
        {
            return StayInReserve(stay.Since);
        }

        YieldIfNothingWasDone();
        Chaos.Point("IdleStates.WaitForWork");
        if (Linger())
        {
            return true;
        }

        _leftover.DropIfDue(stay.Since); // the item that was to be interrupted has completed (T137)
        Finding found = scan.Look(Stopwatch.GetTimestamp());
        while (found != Finding.Work)
        {
            Announce(ref stay, found);
            found = LookAnnounced(ref stay);
            if (IsToWithdraw(found, in stay))
            {
                Withdraw();
                if (state.IsStopped)
                {
                    return false;
                }

                continue;
            }

            if (state.IsDraining)
            {
                worker.Pool.TryFinishDraining();
            }

            if (Park(ref stay))
            {
                return !state.IsStopped;
            }

            Chaos.Point("IdleStates.WaitForWork, time is over");
            if (worker.Pool.Exit.TryRetire(worker, stay.Since))
            {
                return false;
            }

            found = scan.Look(Stopwatch.GetTimestamp());
        }

        return true;
    }

    /// <summary>Called when the worker has ended, or was never started.</summary>
    public void Free() => parker.Free();

    /// <summary>
    /// Polls for about one wake-up latency, if no other thread of the process polls. While LINGERING is set, producers write
    /// nothing and wake no worker. Returns <see langword="true"/> if it saw work. Clearing the bit is a full fence, and
    /// the worker scans and passes the request on before it runs an item, like a woken worker (T48).
    /// </summary>
    private bool Linger()
    {
        if (!state.Linger.TryBegin(state.Signal))
        {
            return false;
        }

        Counters.Add(Counted.Linger);
        Chaos.Point("IdleStates.Linger, begun");
        bool found = scan.LookUntil(Stopwatch.GetTimestamp() + state.Linger.Duration);
        Chaos.Point("IdleStates.Linger, polled");
        state.Linger.End(state.Signal, found);
        return found;
    }

    /// <summary>
    /// From here on the worker is idle, and producers must wake it. A worker that queues itself one item at a time wakes no other worker, as
    /// long as there is a sentinel.
    /// </summary>
    private void Announce(ref Stay stay, Finding found)
    {
        stay.IsSentinel = found == Finding.Lone && parker.Announce(asSentinel: true);
        if (!stay.IsSentinel)
        {
            parker.Announce(asSentinel: false);
        }

        Chaos.Point("IdleStates.Announce, announced");
        worker.EndLooking();
    }

    /// <summary>Final scan after announcing idle (Dekker pair with the producer's fence): either this scan sees an item, or the producer sees the
    /// announcement.</summary>
    private Finding LookAnnounced(ref Stay stay)
    {
        ulong word = state.Signal.Word;
        Chaos.Point("IdleStates.LookAnnounced, word read");
        stay.OthersRun = WorkerSignal.IdleCount(word) + state.ReserveCount < state.ThreadCount;
        if (stay is { OthersRun: true, IsSentinel: false })
        {
            // A worker that pushes without a fence may not have seen the announcement, and this worker may not have seen its item.
            // After the barrier, one of the two has. Pairs with the plain read in Enqueue. The sentinel scans again
            // anyway, and a worker that is alone has no such producer.
            Counters.Add(Counted.ParkBarrier);
            ProcessBarrier.Issue();
        }

        Finding found = scan.Look(Stopwatch.GetTimestamp(), announced: 1);
        Chaos.Point("IdleStates.LookAnnounced, looked");
        return found;
    }

    /// <summary>Whether there is work that no other worker takes care of.</summary>
    private bool IsToWithdraw(Finding found, in Stay stay)
    {
        // Read after the scan: a sentinel that left before the scan is not responsible for the items that the scan saw.
        bool hasSentinel = (state.Signal.Word & SignalWord.Sentinel) != 0;
        return found == Finding.Work || (found == Finding.Lone && !stay.IsSentinel && !hasSentinel) || state.IsStopped;
    }

    private void Withdraw()
    {
        worker.BeginLooking();
        Chaos.Point("IdleStates.Withdraw");
        if (parker.Withdraw())
        {
            state.Signal.Acknowledge();
        }
    }

    /// <summary>Parks. Returns <see langword="true"/> if a producer chose the worker; otherwise its idle time, or the time until its next scan, is
    /// up.</summary>
    private bool Park(ref Stay stay)
    {
        // The last worker to park scans once more after a while, before it parks without a limit. Otherwise a lost request would be
        // detected only when the next item comes.
        bool looksLate = stay is { IsSentinel: false, OthersRun: false, HasLookedLate: false };
        TimeSpan timeout = state.RemainingIdleTime(stay.Since);
        TimeSpan nextLook = stay.IsSentinel ? stay.NextLook : StarvationTuning.RequestExpiry;
        if ((stay.IsSentinel || looksLate) && (timeout == Timeout.InfiniteTimeSpan || timeout > nextLook))
        {
            timeout = nextLook;
        }

        Chaos.Point("IdleStates.Park");
        long parkedAt = Stopwatch.GetTimestamp();
        worker.Blocking.BeginPark();
        bool chosen = parker.Park(timeout);
        worker.Blocking.EndPark();
        Chaos.Point("IdleStates.Park, back");
        if (chosen)
        {
            worker.BeginLooking();
            Chaos.Point("IdleStates.Park, chosen");
            state.Signal.Acknowledge();
            long now = Stopwatch.GetTimestamp();
            state.Linger.NoteGap(now - parkedAt);
            _leftover.NoteRun(now);
        }
        else if (stay.IsSentinel)
        {
            stay.NextLook = stay.NextLook * 2 < WorkerTuning.LastSentinelLook ? stay.NextLook * 2 : WorkerTuning.LastSentinelLook;
        }
        else if (looksLate)
        {
            stay.HasLookedLate = true;
            worker.Pool.Requests.MonitorIfLate(state.Signal.Word);
        }

        return chosen;
    }

    /// <summary>Parks until the pool needs another worker; returns as <see cref="WaitForWork"/> does.</summary>
    private bool StayInReserve(long since)
    {
        // A request may have chosen this worker, which now leaves without scanning for the item of that request. So it passes the
        // request on to an idle worker, which then also finds the items in this worker's own queues.
        Chaos.Point("IdleStates.StayInReserve, entered");
        worker.EndLooking();
        worker.PassRequestOn();
        Interruption.Drop();
        worker.Blocking.BeginReserve();
        bool calledBack = worker.Pool.Exit.WaitInReserve(worker, since);
        worker.Blocking.EndPark();
        Chaos.Point("IdleStates.StayInReserve, back");
        if (calledBack)
        {
            worker.BeginLooking();
        }

        state.Signal.Acknowledge();
        return calledBack;
    }

    /// <summary>
    /// A worker that saw work and could not take it was late, or met a shard or a gate whose holder lost its CPU while holding
    /// it. Scanning again at once would keep that CPU from the holder until the end of a time slice, 4 ms here.
    /// </summary>
    private void YieldIfNothingWasDone()
    {
        long completed = worker.CompletedCount;
        if (completed == _completedBefore)
        {
            worker.EndLooking(); // while another thread has the CPU, this worker does not scan
            Thread.Yield();
            worker.BeginLooking();
        }

        _completedBefore = completed;
    }
}
