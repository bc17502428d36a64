using System.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.Workers;

/// <summary>What a worker does when it finds no work: linger, announce, look, park.</summary>
internal sealed unsafe partial class Worker
{
    private static readonly TimeSpan s_firstWatch = TimeSpan.FromMicroseconds(50);
    private static readonly TimeSpan s_longestWatch = TimeSpan.FromMilliseconds(1);
    private static readonly long s_othersInterval = Stopwatch.Frequency / 1_000_000; // 1 us

    private long _completedAtIdle = -1; // a new worker has not been here before

    /// <summary>One stay of a worker without work: from its last item to its next one, or to its end.</summary>
    private struct IdleStay(long since)
    {
        public readonly long Since => since;

        /// <summary>Until the next look of one that watches.</summary>
        public TimeSpan Watch { get; set; } = s_firstWatch;

        /// <summary>It is announced as the one that watches a worker with a lone item.</summary>
        public bool IsWatching { get; set; }

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
    private bool WaitForWork()
    {
        FlushGroup();
        _operations?.Settle();
        if (_pool.IsStopped)
        {
            return false;
        }

        var stay = new IdleStay(Stopwatch.GetTimestamp());
        _cost.Measure(stay.Since, _completed.Value);
        _cost.Pause();
        EndHolding();
        if (_roster.HasSurplus && _pool.TryEnterReserve())
        {
            return StayInReserve(stay.Since);
        }

        YieldIfNothingWasDone();
        Chaos.Point("Worker.WaitForWork");
        if (Linger())
        {
            return true;
        }

        Interruption.Drop(); // the item it was meant for has ended; parking costs many times more than to look (T137)
        Finding found = LookAgain();
        while (found != Finding.Work)
        {
            Announce(ref stay, found);
            found = LookAnnounced(ref stay);
            if (IsToWithdraw(found, in stay))
            {
                Withdraw();
                if (_pool.IsStopped)
                {
                    return false;
                }

                found = found == Finding.Burst ? LookAgain() : found;
                continue;
            }

            if (_pool.IsDraining)
            {
                _pool.TryFinishDraining();
            }

            if (Park(ref stay))
            {
                return !_pool.IsStopped;
            }

            Chaos.Point("Worker.WaitForWork, time is over");
            if (_pool.TryRetire(this, stay.Since))
            {
                return false;
            }

            found = LookAgain();
        }

        return true;
    }

    /// <summary>
    /// From here on the worker is idle, and has to be asked. A worker that feeds itself one item at a time wakes nobody, as
    /// long as somebody watches it.
    /// </summary>
    private void Announce(ref IdleStay stay, Finding found)
    {
        stay.IsWatching = found == Finding.Lone && _parker!.Announce(watching: true);
        if (!stay.IsWatching)
        {
            _parker!.Announce(watching: false);
        }

        Chaos.Point("Worker.Announce, announced");
        EndLooking();
    }

    /// <summary>The look that no item escapes: it was published before, and is seen here, or its producer sees the announcement.</summary>
    private Finding LookAnnounced(ref IdleStay stay)
    {
        ulong word = _signal.Word;
        Chaos.Point("Worker.LookAnnounced, word read");
        stay.OthersRun = WorkerSignal.IdleCount(word) + _roster.ReserveCount < _roster.ThreadCount;
        if (stay is { OthersRun: true, IsWatching: false })
        {
            // A worker that pushes without a fence may not have seen the announcement, nor this one its item:
            // after this it has, or the look below does. Pairs with the plain read in Enqueue. A watching worker
            // looks again anyway, and one that is alone has no such producer.
            Interlocked.MemoryBarrierProcessWide();
        }

        Finding found = Look(Stopwatch.GetTimestamp(), announced: 1); // of a burst it waits for the end, not parked
        Chaos.Point("Worker.LookAnnounced, looked");
        return found;
    }

    /// <summary>Whether there is something to do that nobody else looks after.</summary>
    private bool IsToWithdraw(Finding found, in IdleStay stay)
    {
        // Read after the look: a watcher that left before it took over nothing of what the look saw.
        bool watchedByOther = (_signal.Word & WorkerSignal.Watching) != 0;
        return found >= Finding.Burst || (found == Finding.Lone && !stay.IsWatching && !watchedByOther) || _pool.IsStopped;
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

    /// <summary>Parks; <see langword="true"/>: it was chosen. Else its time is over, or that until its next look.</summary>
    private bool Park(ref IdleStay stay)
    {
        // The last one to go looks once more, late, before it parks for good: a lost request would otherwise be
        // noticed by nobody until the next item comes.
        bool looksLate = stay is { IsWatching: false, OthersRun: false, HasLookedLate: false };
        TimeSpan timeout = _roster.RemainingIdleTime(stay.Since);
        TimeSpan nextLook = stay.IsWatching ? stay.Watch : NativeThreadPool.RequestExpiry;
        if ((stay.IsWatching || looksLate) && (timeout == Timeout.InfiniteTimeSpan || timeout > nextLook))
        {
            timeout = nextLook;
        }

        Chaos.Point("Worker.Park");
        long parkedAt = Stopwatch.GetTimestamp();
        BeginPark();
        bool chosen = _parker!.Park(timeout);
        EndPark();
        Chaos.Point("Worker.Park, back");
        if (chosen)
        {
            BeginLooking();
            Chaos.Point("Worker.Park, chosen");
            _signal.Acknowledge();
            _pool.Linger.NoteGap(Stopwatch.GetTimestamp() - parkedAt);
        }
        else if (stay.IsWatching)
        {
            stay.Watch = stay.Watch * 2 < s_longestWatch ? stay.Watch * 2 : s_longestWatch;
        }
        else if (looksLate)
        {
            stay.HasLookedLate = true;
            _pool.WatchIfLate(_signal.Word);
        }

        return chosen;
    }

    /// <summary>
    /// A worker that saw work and could not take it was late, or met a lane or a gate whose holder lost its CPU in the
    /// middle. Looking again at once would keep that CPU from the holder until the end of a time slice, 4 ms here.
    /// </summary>
    private void YieldIfNothingWasDone()
    {
        long completed = _completed.Value;
        if (completed == _completedAtIdle)
        {
            EndLooking(); // not while others have the CPU
            Thread.Yield();
            BeginLooking();
        }

        _completedAtIdle = completed;
    }

    /// <summary>
    /// Several looks within about a microsecond: an item that passes through a queue in nanoseconds is in it only half
    /// of the time. Further ones while there is a burst, which ages.
    /// </summary>
    private Finding LookAgain()
    {
        const int looks = 8;
        const int pause = 16; // each look takes a line from the owner
        Finding found = Finding.Nothing;
        for (int i = 0; (i < looks && found == Finding.Nothing) || found == Finding.Burst; i++)
        {
            if (found == Finding.Burst)
            {
                Thread.SpinWait(pause);
            }

            found = Look(Stopwatch.GetTimestamp());
        }

        return found;
    }

    /// <summary>
    /// Polls for about one wake latency, if nobody else in the process does. While LINGERING is set producers write
    /// nothing and wake nobody. <see langword="true"/>: work was seen; the bit is cleared, which is a full fence, and
    /// the worker scans and passes the request on before it runs anything, like a woken one (T48).
    /// </summary>
    private bool Linger()
    {
        if (!_pool.Linger.TryBegin(_signal))
        {
            return false;
        }

        Chaos.Point("Worker.Linger, begun");
        bool found = Poll(Stopwatch.GetTimestamp() + _pool.Linger.Duration);
        Chaos.Point("Worker.Linger, polled");
        _pool.Linger.End(_signal, found);
        return found;
    }

    private bool Poll(long end)
    {
        long lookAtOthers = 0;
        var pace = new PollPace(Stopwatch.GetTimestamp());
        while (!_pool.IsStopped)
        {
            // The external lane freely; other workers' indices at most once a microsecond, for each look takes their
            // line away from them (T64).
            if (_pool.External.AnyItem)
            {
                return true;
            }

            long now = Stopwatch.GetTimestamp();
            if (now >= lookAtOthers)
            {
                if (Look(now) == Finding.Work)
                {
                    return true;
                }

                lookAtOthers = now + s_othersInterval;
            }

            if (now >= end)
            {
                return false;
            }

            pace.Pause(now);
        }

        return false;
    }
}
