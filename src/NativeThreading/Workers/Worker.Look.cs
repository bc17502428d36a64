using System.Diagnostics;

namespace NativeThreading.Workers;

/// <summary>Looking for work that other workers hold, without touching their queues.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>
    /// How long the only item of another worker must lie still before it may be stolen. Its owner is usually about to
    /// take it; stealing it under its hands makes a chain of items three times slower.
    /// </summary>
    private static readonly long s_loneItemAge = Stopwatch.Frequency / 500_000; // 2 us

    /// <summary>
    /// A few items of a worker that gets on with them are usually gone before a thief has brought their cache lines to
    /// its processor: they may be stolen when there have been some for this long.
    /// </summary>
    private static readonly long s_burstAge = Stopwatch.Frequency / 125_000; // 8 us

    private const int MostOfABurst = 32;

    private Seen[] _seen = [];

    /// <summary>What a look found.</summary>
    private enum Finding
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

    private struct Seen
    {
        public long BurstSince;
        private long _completed;
        private long _stillSince;

        /// <summary>The queues were empty.</summary>
        public void Forget() => BurstSince = _stillSince = 0;

        /// <summary>How long the worker has completed nothing, as far as looks at it can tell.</summary>
        public long StillFor(long completed, long now)
        {
            if (_stillSince == 0 || _completed != completed)
            {
                (_completed, _stillSince) = (completed, now);
            }

            return now - _stillSince;
        }
    }

    /// <summary>
    /// Whether another worker may have items in its queues. One that is announced has none, so that where all others are
    /// parked nobody reads their queues, of which each has four lines. A worker that wakes after the word was read looks
    /// for itself, and asks for help with what it pushes.
    /// </summary>
    /// <param name="word">Read after the fence that the look is for.</param>
    /// <param name="announced">1 if this worker itself is announced.</param>
    private bool MayOthersHold(ulong word, int announced) =>
        WorkerSignal.IdleCount(word) - announced < _roster.ThreadCount - 1;

    /// <summary>Looks at all queues once, by plain loads.</summary>
    /// <param name="now">The time; items lie still since an earlier one.</param>
    /// <param name="announced">1 if this worker is announced.</param>
    private Finding Look(long now, int announced = 0)
    {
        if (PendingCount != 0 || _pool.External.AnyItem)
        {
            return Finding.Work;
        }

        Chaos.Point("Worker.Look, nothing outside");
        if (!MayOthersHold(_signal.Word, announced))
        {
            return Finding.Nothing;
        }

        Chaos.Point("Worker.Look, others run");

        var found = Finding.Nothing;
        foreach (Worker other in _roster.Workers)
        {
            if (other == this)
            {
                continue;
            }

            Finding there = LookAt(other, now);
            if (there == Finding.Work)
            {
                return there;
            }

            if (there > found)
            {
                found = there;
            }
        }

        return found;
    }

    private Finding LookAt(Worker other, long now)
    {
        int pending = other.PendingCount;
        if (pending > MostOfABurst)
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
        bool still = seen.StillFor(other.CompletedCount, now) >= s_loneItemAge;
        if (pending == 1)
        {
            seen.BurstSince = 0;
            return still ? Finding.Work : Finding.Lone;
        }

        seen.BurstSince = seen.BurstSince != 0 ? seen.BurstSince : now;
        return still || now - seen.BurstSince >= s_burstAge ? Finding.Work : Finding.Burst;
    }

    private ref Seen SeenOf(Worker other)
    {
        if (other.Index >= _seen.Length)
        {
            Array.Resize(ref _seen, Math.Max(other.Index + 1, _seen.Length * 2));
        }

        return ref _seen[other.Index];
    }
}
