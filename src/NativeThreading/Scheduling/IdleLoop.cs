using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>
/// What a worker does from its last item to its next one, or to its end: it spins, announces itself idle, scans a last time, and withdraws or
/// parks. After parking it was chosen, or its time is up, and it scans again or retires.
/// </summary>
/// <remarks>Neighbours: <see cref="LingerPolicy"/> says whether spinning pays, <see cref="WakeThrottle"/> whether producers should wake no further worker,
/// <see cref="QueueScan"/> reads the queues, and <see cref="Parker"/> parks. Model: native/models/worker_signal.pml.</remarks>
internal sealed class IdleLoop(Worker worker, PoolState state, QueueScan scan, WakeThrottle throttle)
{
    private readonly WorkerSignal _signal = state.Signal;
    private readonly Parker _parker = new(state.Signal);
    private LeftoverInterrupt _leftover = new();
    private long _completedBefore = -1; // the count at the last idle period; -1 for a new worker

    /// <summary>Frees what it parks on; its thread has ended, or was not started.</summary>
    public void Free() => _parker.Free();

    /// <summary>Returns <see langword="true"/> if there may be work (the request that woke the worker is acknowledged), <see langword="false"/> if the
    /// worker should end.</summary>
    /// <param name="since">The time: it has just found nothing.</param>
    public bool WaitForWork(long since)
    {
        YieldIfNothingWasDone();
        Chaos.Point("IdleLoop.WaitForWork");
        if (Linger(since))
        {
            return true;
        }

        var idle = new IdlePeriod(since);
        _leftover.DropIfDue(since); // the item that was to be interrupted has completed (T137)
        for (Finding found = scan.Look(Stopwatch.GetTimestamp()); found != Finding.Work; )
        {
            Announce(ref idle, found);
            found = LookAnnounced(ref idle);
            if (IsToWithdraw(found, in idle))
            {
                Withdraw(in idle);
                if (state.IsStopped)
                {
                    return false;
                }

                continue;
            }

            if (state.AwaitsIdle)
            {
                worker.Pool.TryFinishDraining();
            }

            if (Park(ref idle))
            {
                return !state.IsStopped;
            }

            Chaos.Point("IdleLoop.WaitForWork, time is over");
            if (idle.IsSentinel && throttle.IsHeldByOther)
            {
                found = Finding.Lone;
                continue;
            }

            EndThrottleOfOthers(in idle);
            if (worker.Pool.Exit.TryRetire(worker, since))
            {
                return false;
            }

            found = scan.Look(Stopwatch.GetTimestamp());
        }

        return true;
    }

    /// <summary>
    /// Polls for about one wake-up latency, if no other thread of the process polls. While LINGERING is set, producers write
    /// nothing and wake no worker. Returns <see langword="true"/> if it saw work. Clearing the bit is a full fence, and
    /// the worker scans and passes the request on before it runs an item, like a woken worker (T48).
    /// </summary>
    /// <remarks>Where the policy says so, one yield is in place of all polls. Otherwise a producer on the same processor wakes this worker for each
    /// item, and the worker takes the processor from the producer each time.</remarks>
    private bool Linger(long since)
    {
        LingerPolicy policy = state.Linger;
        bool yields = policy.Yields;
        if (!(yields ? YieldRule.MayYield(since) && (throttle.IsOn || _signal.TryBeginLinger()) : policy.TryBegin(_signal, isRegistered: throttle.IsOn)))
        {
            throttle.End();
            return false;
        }

        Chaos.Point("IdleLoop.Linger, started");
        bool found = yields ? LookAfterYield() : LookUntil(Stopwatch.GetTimestamp() + policy.Duration);
        Chaos.Point("IdleLoop.Linger, looked");
        throttle.EndPolling(found);
        if (!yields)
        {
            policy.End(found);
        }

        return found;
    }

    private bool LookUntil(long end)
    {
        Counters.Add(Counted.Linger);
        return scan.LookUntil(end);
    }

    private bool LookAfterYield()
    {
        long began = Stopwatch.GetTimestamp();
        worker.EndLooking(); // as in YieldIfNothingWasDone
        SpinRule.Pause(yields: true);
        worker.BeginLooking();
        long now = Stopwatch.GetTimestamp();
        YieldRule.Note(now, now - began, state.Injector.Count);
        return scan.Look(now) == Finding.Work;
    }

    /// <summary>
    /// From here on the worker is idle, and producers must wake it. A worker that queues itself one item at a time wakes no other worker, as
    /// long as there is a sentinel.
    /// </summary>
    private void Announce(ref IdlePeriod idle, Finding found)
    {
        bool isWanted = found != Finding.Lone && throttle.WantsSentinel;
        idle.IsSentinel = (found == Finding.Lone || isWanted) && _parker.Announce(asSentinel: true);
        if (isWanted)
        {
            idle.LookSeldom();
        }

        if (!idle.IsSentinel)
        {
            _parker.Announce(asSentinel: false);
        }

        Chaos.Point("IdleLoop.Announce, announced");
        worker.EndLooking();
    }

    /// <summary>Final scan after announcing idle (Dekker pair with the producer's fence): either this scan sees an item, or the producer sees the
    /// announcement.</summary>
    private Finding LookAnnounced(ref IdlePeriod idle)
    {
        ulong word = _signal.Word;
        Chaos.Point("IdleLoop.LookAnnounced, word read");
        idle.OthersRun = WorkerSignal.IdleCount(word) + state.ReserveCount < state.ThreadCount;
        if (idle is { OthersRun: true, IsSentinel: false })
        {
            // A worker that pushes without a fence may not have seen the announcement, and this worker may not have seen its item.
            // After the barrier, one of the two has. Pairs with the plain read in AskForHelpIfNeeded. The sentinel scans again
            // anyway, and a worker that is alone has no such producer.
            Counters.Add(Counted.ParkBarrier);
            ProcessBarrier.Issue();
        }

        Finding found = scan.Look(Stopwatch.GetTimestamp(), announced: 1);
        Chaos.Point("IdleLoop.LookAnnounced, looked");
        return found;
    }

    /// <summary>Whether there is work that no other worker takes care of.</summary>
    private bool IsToWithdraw(Finding found, in IdlePeriod idle)
    {
        // Read after the scan: a sentinel that left before the scan is not responsible for the items that the scan saw.
        bool hasSentinel = (_signal.Word & SignalWord.Sentinel) != 0;
        return (found == Finding.Work && !(idle.IsSentinel && throttle.IsHeldByOther)) || (found == Finding.Lone && !idle.IsSentinel && !hasSentinel) || state.IsStopped;
    }

    private void Withdraw(in IdlePeriod idle)
    {
        worker.BeginLooking();
        Chaos.Point("IdleLoop.Withdraw");
        bool chosen = _parker.Withdraw();
        EndThrottleOfOthers(in idle);
        if (chosen)
        {
            _signal.Acknowledge();
        }
    }

    private void EndThrottleOfOthers(in IdlePeriod idle)
    {
        if (idle.IsSentinel)
        {
            throttle.EndOfOthers();
        }
    }

    /// <summary>Parks. Returns <see langword="true"/> if a producer chose the worker; otherwise its idle time, or the time until its next scan, is
    /// up.</summary>
    private bool Park(ref IdlePeriod idle)
    {
        Chaos.Point("IdleLoop.Park");
        long parkedAt = Stopwatch.GetTimestamp();
        worker.Blocking.BeginPark();
        bool chosen = _parker.Park(idle.NextTimeout(state.RemainingIdleTime(idle.Since)));
        worker.Blocking.EndPark();
        Chaos.Point("IdleLoop.Park, back");
        if (chosen)
        {
            worker.BeginLooking();
            Chaos.Point("IdleLoop.Park, chosen");
            EndThrottleOfOthers(in idle);
            throttle.TryBegin();
            _signal.Acknowledge();
            long now = Stopwatch.GetTimestamp();
            state.Linger.NoteGap(now - parkedAt);
            _leftover.NoteRun(now);
        }
        else if (idle.NoteTimeout())
        {
            worker.Pool.Requests.MonitorIfLate(_signal.Word);
        }

        return chosen;
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

/// <summary>One idle period of a worker, from its last item to its next one or to its end: for how long it parks at a time, and why.</summary>
internal struct IdlePeriod(long since)
{
    private TimeSpan _nextLook = WorkerTuning.FirstSentinelLook;
    private bool _hasLookedLate;

    public readonly long Since => since;

    /// <summary>Whether it is announced as the sentinel: the one worker that rechecks a lone item of another worker within a bounded time.</summary>
    public bool IsSentinel { get; set; }

    /// <summary>Whether other workers were running after it had announced itself.</summary>
    public bool OthersRun { get; set; }

    // The last worker to park scans once more after a while, before it parks without a limit. Otherwise a lost request would be
    // detected only when the next item comes.
    private readonly bool LooksLate => !IsSentinel && !OthersRun && !_hasLookedLate;

    /// <summary>It is the sentinel for a throttle of wakes, not for a lone item.</summary>
    public void LookSeldom() => _nextLook = WorkerTuning.LastSentinelLook;

    /// <summary>For how long the worker parks next.</summary>
    /// <param name="remaining">What is left of its idle time.</param>
    public readonly TimeSpan NextTimeout(TimeSpan remaining)
    {
        TimeSpan look = IsSentinel ? _nextLook : LooksLate ? StarvationTuning.RequestExpiry : Timeout.InfiniteTimeSpan;
        return look != Timeout.InfiniteTimeSpan && (remaining == Timeout.InfiniteTimeSpan || remaining > look) ? look : remaining;
    }

    /// <summary>The time was up. Returns whether this was the late scan: the caller then has the monitor watch a request that is late.</summary>
    public bool NoteTimeout()
    {
        if (IsSentinel)
        {
            _nextLook = _nextLook * 2 < WorkerTuning.LastSentinelLook ? _nextLook * 2 : WorkerTuning.LastSentinelLook;
            return false;
        }

        bool looksLate = LooksLate;
        _hasLookedLate |= looksLate;
        return looksLate;
    }
}
