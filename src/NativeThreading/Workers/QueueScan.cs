using System.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.Workers;

/// <summary>What a look at the queues found.</summary>
internal enum Finding
{
    /// <summary>All queues were empty.</summary>
    Nothing,

    /// <summary>Another worker has one item and may be about to take it: to be looked at again.</summary>
    Lone,

    /// <summary>Another worker has a few items and gets on with them: work before long, if they do not go away.</summary>
    Burst,

    /// <summary>There is work to take.</summary>
    Work,
}

/// <summary>
/// One worker's looks at all queues of its pool, by plain loads. It remembers what it saw, because items that their owner is
/// about to run are to be left to him: only what lies still is work for others.
/// </summary>
internal sealed class QueueScan(Worker worker, PoolState state)
{
    private Seen[] _seen = [];

    /// <summary>
    /// Whether another worker may have items in its queues. One that is announced has none, so that where all others are
    /// parked nobody reads their queues, each of which has four cache lines. A worker that wakes after the word was read looks
    /// for itself, and asks for help with what it pushes.
    /// </summary>
    /// <param name="word">Read after the fence that the look is for.</param>
    /// <param name="announced">1 if this worker itself is announced.</param>
    public bool MayOthersHold(ulong word, int announced = 0) =>
        !Mechanisms.AnnouncedHoldNothing || WorkerSignal.IdleCount(word) - announced < state.ThreadCount - 1;

    /// <summary>Whether any queue holds an item, one that is about to be taken included.</summary>
    /// <inheritdoc cref="MayOthersHold" path="/param"/>
    public bool SeesAny(ulong word) =>
        worker.PendingCount != 0 || state.Injector.AnyItem || (MayOthersHold(word) && AnyPending(state.Workers));

    /// <summary>Looks at all queues once.</summary>
    /// <param name="now">The time; items lie still since an earlier one.</param>
    /// <param name="announced">1 if this worker is announced.</param>
    public Finding Look(long now, int announced = 0)
    {
        if (worker.PendingCount != 0 || state.Injector.AnyItem)
        {
            return Finding.Work;
        }

        Chaos.Point("QueueScan.Look, nothing outside");
        if (!MayOthersHold(state.Signal.Word, announced))
        {
            return Finding.Nothing;
        }

        Chaos.Point("QueueScan.Look, others run");
        var found = Finding.Nothing;
        foreach (Worker other in state.Workers)
        {
            Finding there = other == worker ? Finding.Nothing : LookAt(other, now);
            if (there == Finding.Work)
            {
                return there;
            }

            found = there > found ? there : found;
        }

        return found;
    }

    /// <summary>
    /// Several looks within about a microsecond: an item that passes through a queue in nanoseconds is in it only half
    /// of the time. Further ones while there is a burst, which ages.
    /// </summary>
    public Finding LookAgain()
    {
        var found = Finding.Nothing;
        for (int i = 0; (i < Mechanisms.If(Mechanisms.LooksInARow, WorkerTuning.LooksInARow, 1) && found == Finding.Nothing) || found == Finding.Burst; i++)
        {
            if (found == Finding.Burst)
            {
                Thread.SpinWait(WorkerTuning.PauseBetweenLooks);
            }

            found = Look(Stopwatch.GetTimestamp());
        }

        return found;
    }

    /// <summary>Looks again and again until there is work, or the time has come, or the pool has stopped.</summary>
    /// <returns>Whether there is work.</returns>
    public bool LookUntil(long end)
    {
        long lookAtOthers = 0;
        var pace = new PollPace(Stopwatch.GetTimestamp());
        while (!state.IsStopped)
        {
            // The injector queue freely; other workers' indices at most once a microsecond, because each look takes their
            // cache line away (T64).
            if (state.Injector.AnyItem)
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

                lookAtOthers = now + WorkerTuning.TimeBetweenLooksAtOthers;
            }

            if (now >= end)
            {
                return false;
            }

            pace.Pause(now);
        }

        return false;
    }

    /// <summary>Looks at the queues of one other worker.</summary>
    public Finding LookAt(Worker other, long now)
    {
        Counters.Add(Counted.WorkerLook);
        int pending = other.PendingCount;
        if (pending > WorkerTuning.MostOfABurst)
        {
            return Finding.Work;
        }

        ref Seen seen = ref SeenOf(other);
        if (pending == 0)
        {
            seen.Forget();
            return Finding.Nothing;
        }

        // The deque's indices repeat when one item after the other passes through; the count of completed items does not.
        bool still = seen.StillFor(other.CompletedCount, now) >= WorkerTuning.LoneItemAge;
        if (pending == 1)
        {
            seen.BurstSince = 0;
            return still || !Mechanisms.LoneItemAge ? Finding.Work : Finding.Lone;
        }

        seen.BurstSince = seen.BurstSince != 0 ? seen.BurstSince : now;
        return still || !Mechanisms.BurstAge || now - seen.BurstSince >= WorkerTuning.BurstAge ? Finding.Work : Finding.Burst;
    }

    /// <summary>For how long another worker has completed nothing, as far as looks at it can tell.</summary>
    public long StillFor(Worker other, long now) => SeenOf(other).StillFor(other.CompletedCount, now);

    private static bool AnyPending(Worker[] workers)
    {
        foreach (Worker other in workers)
        {
            Counters.Add(Counted.PassLook);
            if (other.PendingCount != 0)
            {
                return true;
            }
        }

        return false;
    }

    private ref Seen SeenOf(Worker other)
    {
        if (other.Index >= _seen.Length)
        {
            Array.Resize(ref _seen, Math.Max(other.Index + 1, _seen.Length * 2));
        }

        return ref _seen[other.Index];
    }

    private struct Seen
    {
        public long BurstSince;
        private long _completed;
        private long _stillSince;

        /// <summary>The queues were empty.</summary>
        public void Forget() => BurstSince = _stillSince = 0;

        /// <summary>How long the worker has completed nothing.</summary>
        public long StillFor(long completed, long now)
        {
            if (_stillSince == 0 || _completed != completed)
            {
                (_completed, _stillSince) = (completed, now);
            }

            return now - _stillSince;
        }
    }
}
