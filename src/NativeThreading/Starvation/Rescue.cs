using System.Diagnostics;
using NativeThreading.Scheduling;
using NativeThreading.Tracing;

namespace NativeThreading.Starvation;

/// <summary>Detects the deadlock of a pool at its limit: all its threads are blocked, and items that continue work wait. A blocked thread may wait
/// for one of these items. They then run on rescue threads. Used by the monitor's thread only. Model: native/models/rescue.pml.</summary>
internal sealed class Rescue(NativeThreadPool pool)
{
    private long _since; // since when such an item waits, or 0
    private long _rescued;
    private long _rescueTold; // when, or 0
    private long _limitTold; // likewise, and until it is over
    private int _suppressed;

    /// <summary>The number of times that a rescue thread started to work.</summary>
    public long Count => Volatile.Read(ref _rescued);

    /// <summary>Checks once.</summary>
    /// <param name="waits">Whether an item waits and no worker is idle.</param>
    /// <returns>The longest time until the next check; <see langword="null"/>: it needs no check.</returns>
    public TimeSpan? Look(bool waits)
    {
        if (!waits || !pool.State.NeedsRescue)
        {
            _since = 0;
            if (_limitTold != 0 && !IsRecent(_limitTold))
            {
                _limitTold = 0;
            }

            return null;
        }

        Chaos.Point("Rescue.Look, all blocked");
        bool found = Sort(out bool isDone) || AnyLocal();
        if (!found)
        {
            _since = 0;
            return isDone ? null : StarvationTuning.Soon;
        }

        long now = Stopwatch.GetTimestamp();
        _since = _since != 0 ? _since : now;
        if (pool.State.RescueCount == 0 && Stopwatch.GetElapsedTime(_since, now) < StarvationTuning.RescueDelay)
        {
            return StarvationTuning.Later;
        }

        // The first items belong to the first generation: all of them are sorted before there are several threads.
        if ((isDone || pool.State.RescueCount == 0) && pool.Roster.RescuersAtWork <= 0) // briefly below 0: a thread that has parked may still be marked as blocked
        {
            Act(Stopwatch.GetElapsedTime(_since, now));
        }

        return isDone ? StarvationTuning.Later : StarvationTuning.Soon;
    }

    /// <summary>While the pool is paused: separates the items that continue work, so that they run. Returns whether it has scanned all waiting
    /// items. It has not if a producer has claimed a slot and not filled it.</summary>
    public bool SortHeld()
    {
        Sort(out bool isDone);
        if (pool.Injector.HasContinuing)
        {
            pool.Requests.RequestForPending();
        }

        return isDone && pool.Injector.IsSorted;
    }

    /// <summary>Puts rescue threads to work, one at first. If all of them are blocked, too, their number doubles, so that hundreds of blocking items
    /// take a few checks. It never exceeds the number that the generations of the waiting items allow.</summary>
    private void Act(TimeSpan waited)
    {
        int wanted = (int)Math.Min(Math.Max(1, pool.State.RescueCount), CountRunnable());
        int added = wanted > 0 ? pool.Roster.Rescue(wanted) : 0;
        if (added != 0)
        {
            Volatile.Write(ref _rescued, _rescued + added);
            if (pool.State.RescueCount == added)
            {
                Sort(out _); // until now the items are in the injector queue; the first rescue thread finds them when it has started
            }

            TellRescue(waited);
        }
        else if (wanted == 0 && pool.State.NeedsRescue && _limitTold == 0)
        {
            _limitTold = Stopwatch.GetTimestamp();
            NativeThreadingEventSource.Log.RescueLimitReached(pool.Name, pool.ThreadCount, pool.MaxBlockedThreads, pool.MaxRescueThreads);
        }
    }

    private void TellRescue(TimeSpan waited)
    {
        if (_rescueTold != 0 && IsRecent(_rescueTold))
        {
            _suppressed++;
            return;
        }

        _rescueTold = Stopwatch.GetTimestamp();
        NativeThreadingEventSource.Log.RescueStarted(pool.Name, pool.ThreadCount, pool.MaxBlockedThreads, (long)waited.TotalMilliseconds, _suppressed);
        _suppressed = 0;
    }

    private static bool IsRecent(long told) => Stopwatch.GetElapsedTime(told) < StarvationTuning.RescueMessages;

    private bool Sort(out bool isDone)
    {
        int inUse = pool.State.RescueCount > 1 ? pool.State.RescuersInUse : 0;
        return pool.Injector.Sort(ContinuingItem.Is, pool.Scheduler, pool.State.Shares.GenerationAt(inUse), out isDone);
    }

    /// <summary>Whether a blocked worker has items in its queues that continue work.</summary>
    private bool AnyLocal() =>
        Array.Exists(pool.Workers, worker => worker.LeavesItems && worker.Queues.AnyContinuing(ContinuingItem.Is, pool.Scheduler));

    /// <summary>For how many more rescue threads there is an item that they may run; at least one item waits.</summary>
    private long CountRunnable()
    {
        int inUse = pool.State.RescuersInUse;
        long count = 0;
        for (int generation = 0; generation < RescueShares.Generations; generation++)
        {
            // Before the first rescue thread the items are still in the injector queue.
            long waiting = pool.State.RescueCount == 0 ? 1 : pool.Injector.ContinuingCount(generation) + CountLocal(generation);
            count = Math.Max(count, Math.Min(waiting, pool.State.Shares.MostFor(generation) - inUse));
        }

        return count;
    }

    private long CountLocal(int generation)
    {
        long count = 0;
        if (generation is 0 or RescueShares.Generations - 1)
        {
            foreach (Worker worker in pool.Workers)
            {
                bool isOfGeneration = worker.IsRescue == (generation != 0);
                count += isOfGeneration && worker.LeavesItems && worker.Queues.AnyContinuing(ContinuingItem.Is, pool.Scheduler)
                    ? Math.Max(1, worker.Queues.ContinuingCount)
                    : 0;
            }
        }

        return count;
    }
}
