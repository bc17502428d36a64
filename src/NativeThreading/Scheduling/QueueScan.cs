using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>The result of a scan of the queues.</summary>
internal enum Finding
{
    /// <summary>All queues were empty.</summary>
    Nothing,

    /// <summary>Another worker has one item and may be about to take it; scan again.</summary>
    Lone,

    /// <summary>There is work to take.</summary>
    Work,
}

/// <summary>
/// Scans all queues of the pool for one worker, with plain loads. It remembers what it saw, because items that their owner is
/// about to run should be left to the owner: only items that do not move are work for others.
/// </summary>
internal sealed class QueueScan(Worker worker, PoolState state)
{
    private Seen[] _seen = new Seen[WorkersToBeginWith]; // not empty: the runtime would have to compile the empty array of this type

    private const int WorkersToBeginWith = 4;

    /// <summary>
    /// Whether another worker may have items in its queues. An announced worker has none. So the scan skips the queues of parked
    /// workers, each of which has four cache lines. A worker that wakes after the word was read scans the queues itself, and requests
    /// help with the items that it pushes.
    /// </summary>
    /// <param name="word">The state word, read after the fence that this scan pairs with.</param>
    /// <param name="announced">1 if this worker itself is announced.</param>
    public bool MayOthersHold(ulong word, int announced = 0) =>
        WorkerSignal.IdleCount(word) - announced < state.ThreadCount - 1;

    /// <summary>Whether any queue holds an item, including one that is about to be taken.</summary>
    /// <inheritdoc cref="MayOthersHold" path="/param"/>
    public bool SeesAny(ulong word) =>
        worker.PendingCount != 0 || state.Injector.AnyItem || (MayOthersHold(word) && AnyPending(state.Workers));

    /// <summary>Scans all queues once.</summary>
    /// <param name="now">The current time, from which the scan computes how long items have not moved.</param>
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

    /// <summary>Scans repeatedly until there is work, the time is up, or the pool has stopped.</summary>
    /// <returns>Whether there is work.</returns>
    public bool LookUntil(long end)
    {
        long lookAtOthers = 0;
        var pace = new PollPace(Stopwatch.GetTimestamp());
        while (!state.IsStopped)
        {
            // Reads the injector queue without a limit, but other workers' indices at most once a microsecond, because each read takes
            // their cache line away (T64).
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

    /// <summary>Scans the queues of one other worker.</summary>
    public Finding LookAt(Worker other, long now)
    {
        Counters.Add(Counted.WorkerLook);
        int pending = other.PendingCount;
        if (pending > 1)
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
        return seen.StillFor(other.CompletedCount, now) >= WorkerTuning.LoneItemAge ? Finding.Work : Finding.Lone;
    }

    /// <summary>How long another worker has completed no item, as far as scans can tell.</summary>
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
        private long _completed;
        private long _stillSince;

        /// <summary>The queues were empty.</summary>
        public void Forget() => _stillSince = 0;

        /// <summary>How long the worker has completed no item.</summary>
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
