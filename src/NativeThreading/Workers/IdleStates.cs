using System.Diagnostics;
using NativeThreading.Cores;
using NativeThreading.Interop;
using NativeThreading.Waiting;

namespace NativeThreading.Workers;

/// <summary>What one worker does when it finds no work: it lingers, announces itself, looks, parks.</summary>
internal sealed class IdleStates(Worker worker, PoolState state, PoolCalls calls, QueueScan scan, Parker parker)
{
    private long _completedBefore = -1; // at the last stay; a new worker has had none
    private LeftoverInterrupt _leftover = new();

    /// <summary>One stay of a worker without work: from its last item to its next one, or to its end.</summary>
    private struct Stay(long since)
    {
        public readonly long Since => since;

        /// <summary>It is announced as the sentinel: the one worker that looks again, within a bounded time, at a lone item of another.</summary>
        public bool IsSentinel { get; set; }

        /// <summary>Until the sentinel's next look.</summary>
        public TimeSpan NextLook { get; set; } = WorkerTuning.FirstSentinelLook;

        /// <summary>Others ran when it had announced itself.</summary>
        public bool OthersRun { get; set; }

        /// <summary>The last one to go has looked once more, late.</summary>
        public bool HasLookedLate { get; set; }
    }

    /// <summary>
    /// The states of an idle worker, as in native/models/worker_signal.pml: it lingers, looks, announces itself, looks again,
    /// and withdraws or parks; then it was chosen, or its time is over, and it looks again or retires. Returns
    /// <see langword="true"/> when there may be work (any request that brought the worker back is acknowledged),
    /// <see langword="false"/> when the worker is to end.
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
        if (state.HasSurplus && calls.TryEnterReserve())
        {
            return StayInReserve(stay.Since);
        }

        YieldIfNothingWasDone();
        Chaos.Point("IdleStates.WaitForWork");
        if (Linger())
        {
            return true;
        }

        _leftover.DropIfDue(stay.Since); // the item it was meant for has ended (T137)
        Finding found = scan.LookAgain();
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

                found = found == Finding.Burst ? scan.LookAgain() : found;
                continue;
            }

            if (state.IsDraining)
            {
                calls.TryFinishDraining();
            }

            if (Park(ref stay))
            {
                return !state.IsStopped;
            }

            Chaos.Point("IdleStates.WaitForWork, time is over");
            if (calls.TryRetire(worker, stay.Since))
            {
                return false;
            }

            found = scan.LookAgain();
        }

        return true;
    }

    /// <summary>The worker has ended, or was never started.</summary>
    public void Free() => parker.Free();

    /// <summary>
    /// Polls for about one wake latency, if nobody else in the process does. While LINGERING is set producers write
    /// nothing and wake nobody. <see langword="true"/>: work was seen; the bit is cleared, which is a full fence, and
    /// the worker scans and passes the request on before it runs anything, like a woken one (T48).
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
    /// From here on the worker is idle, and has to be asked. A worker that feeds itself one item at a time wakes nobody, as
    /// long as there is a sentinel.
    /// </summary>
    private void Announce(ref Stay stay, Finding found)
    {
        stay.IsSentinel = Mechanisms.Sentinel && found == Finding.Lone && parker.Announce(asSentinel: true);
        if (!stay.IsSentinel)
        {
            parker.Announce(asSentinel: false);
        }

        Chaos.Point("IdleStates.Announce, announced");
        worker.EndLooking();
    }

    /// <summary>The look that no item escapes: it was published before, and is seen here, or its producer sees the announcement.</summary>
    private Finding LookAnnounced(ref Stay stay)
    {
        ulong word = state.Signal.Word;
        Chaos.Point("IdleStates.LookAnnounced, word read");
        stay.OthersRun = WorkerSignal.IdleCount(word) + state.ReserveCount < state.ThreadCount;
        if (stay is { OthersRun: true, IsSentinel: false })
        {
            // A worker that pushes without a fence may not have seen the announcement, nor this one its item:
            // after this it has, or the look below does. Pairs with the plain read in Enqueue. The sentinel
            // looks again anyway, and a worker that is alone has no such producer.
            Counters.Add(Counted.ParkBarrier);
            ProcessBarrier.Issue();
        }

        Finding found = scan.Look(Stopwatch.GetTimestamp(), announced: 1); // of a burst it waits for the end, not parked
        Chaos.Point("IdleStates.LookAnnounced, looked");
        return found;
    }

    /// <summary>Whether there is something to do that nobody else looks after.</summary>
    private bool IsToWithdraw(Finding found, in Stay stay)
    {
        // Read after the look: a sentinel that left before it took over nothing of what the look saw.
        bool hasSentinel = (state.Signal.Word & SignalWord.Sentinel) != 0;
        return found >= Finding.Burst || (found == Finding.Lone && !stay.IsSentinel && !hasSentinel) || state.IsStopped;
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

    /// <summary>Parks; <see langword="true"/>: it was chosen. Else its time is over, or that until its next look.</summary>
    private bool Park(ref Stay stay)
    {
        // The last one to go looks once more, late, before it parks for good: a lost request would otherwise be
        // noticed by nobody until the next item comes.
        bool looksLate = Mechanisms.LateLook && stay is { IsSentinel: false, OthersRun: false, HasLookedLate: false };
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
            calls.MonitorIfLate(state.Signal.Word);
        }

        return chosen;
    }

    /// <summary>Parks until the pool needs one more; returns as <see cref="WaitForWork"/> does.</summary>
    private bool StayInReserve(long since)
    {
        // It may have been chosen by a request, and leaves without having looked for what that was made for: while others
        // are idle that is for one of them, like what it has in its own queues.
        Chaos.Point("IdleStates.StayInReserve, entered");
        worker.EndLooking();
        worker.PassRequestOn();
        Interruption.Drop();
        worker.Blocking.BeginReserve();
        bool calledBack = calls.WaitInReserve(worker, since);
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
    /// A worker that saw work and could not take it was late, or met a shard or a gate whose holder lost its CPU in the
    /// middle. Looking again at once would keep that CPU from the holder until the end of a time slice, 4 ms here.
    /// </summary>
    private void YieldIfNothingWasDone()
    {
        long completed = worker.CompletedCount;
        if (Mechanisms.IdleYield && completed == _completedBefore)
        {
            worker.EndLooking(); // not while others have the CPU
            Thread.Yield();
            worker.BeginLooking();
        }

        _completedBefore = completed;
    }
}
