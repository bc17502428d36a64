using System.Diagnostics;
using NativeThreading.Cores;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// Keeping the order of what one worker moved (T133). While all get on, batches are short enough that nothing is late by
/// much. A worker that finds its own items long, or somebody's batch late, takes the oldest moved item there is, one at a time.
/// </summary>
/// <remarks>
/// A worker that runs items which are newer than somebody else's batch reads the clock every few items: short items may
/// become long ones from one to the next. Nobody does so for his own oldest items, and where one worker alone holds a batch.
/// </remarks>
internal sealed class ItemOrder(Worker worker, PoolState state)
{
    private static readonly long s_wake = LingerBudget.WakeLatency();

    private ItemCost _cost;
    private long _nextSearch; // for a late batch of others
    private Worker? _late; // whose batch the last search found late
    private long _lateSince;
    private PaddedIndex _isHolder; // read by others, who must not meet what is written with each batch

    /// <summary>Whether other workers hold batches.</summary>
    public bool OthersHold => Mechanisms.LateBatches && state.Injector.HolderCount != _isHolder.Value;

    /// <summary>The most items that the worker may move at once.</summary>
    public int MostPerBatch => _cost.MostPerBatch;

    /// <summary>Whether so many items are over before a worker that is woken now would come, by what items have cost lately.</summary>
    public bool FitIntoAWake(long items) => _cost.Fit(items, s_wake);

    /// <summary>A batch of more than one item was moved into the own queues.</summary>
    public void BeginHolding()
    {
        if (Interlocked.Exchange(ref _isHolder.Value, 1) == 0)
        {
            state.Injector.AddHolder(1);
        }
    }

    /// <summary>By the owner, or by whoever sees that nothing is left: one that parks in the reserve cannot.</summary>
    public void EndHolding()
    {
        if (Volatile.Read(ref _isHolder.Value) != 0 && worker.Queues.HeldCount <= 0 && Interlocked.Exchange(ref _isHolder.Value, 0) != 0)
        {
            state.Injector.AddHolder(-1);

            // The owner may have moved more since the look at the count, and have found itself marked: pairs with its
            // exchange in BeginHolding, which comes after the batch is written. One of the two marks it again.
            if (worker.Queues.HeldCount > 0)
            {
                BeginHolding();
            }
        }
    }

    /// <summary>The last act of a worker, whose items others have taken or will.</summary>
    public void EndHoldingForGood()
    {
        if (Interlocked.Exchange(ref _isHolder.Value, 0) != 0)
        {
            state.Injector.AddHolder(-1);
        }
    }

    /// <summary>After a transfer: what it says about the items before it, and what is to be kept in mind while it lasts.</summary>
    public void NoteMoved(int moved)
    {
        if (moved <= 1 && !state.Injector.AnyItem)
        {
            _cost.Pause(); // a single item tells nothing and is not worth a look at the clock
            return;
        }

        long now = moved > 1 ? worker.Queues.HeldSince : Stopwatch.GetTimestamp();
        Measure(now);
        if (moved <= 1)
        {
            return;
        }

        BeginHolding();
        CheckSoon(now);
    }

    /// <summary>The same where it was another worker's queue.</summary>
    public void NoteStolen(long now)
    {
        Measure(now);
        CheckSoon(now);
    }

    /// <summary>The worker has nothing to do: what follows is not the time of items.</summary>
    public void NoteIdle(long now)
    {
        Measure(now);
        _cost.Pause();
        _late = null; // one that has gone is to be forgotten
        EndHolding();
    }

    /// <summary>At a look at the clock: whether items have been long since the last one.</summary>
    public bool Check(long now, bool othersHold)
    {
        bool isLong = worker.Pace.Check(now, othersHold);
        if (isLong)
        {
            Measure(now);
        }

        return isLong;
    }

    /// <summary>The worker that holds the oldest batch of all that are late, or of all; older than what the caller holds.</summary>
    public Worker? FindOlder(long now, bool evenInTime)
    {
        if (worker.Queues.LocalCount != 0)
        {
            return null; // what the items of this worker have queued for it comes first
        }

        long since = worker.Queues.HeldCount > 0 ? worker.Queues.HeldSince : long.MaxValue;
        if (_late is { } late)
        {
            // Nobody held an older one, so until it is over nobody does.
            Counters.Add(Counted.HolderLook);
            if (late.Queues.HeldCount > 0 && late.Queues.HeldSince == _lateSince && _lateSince < since)
            {
                return late;
            }

            _late = null;
        }

        // A search reads a line of each worker, and three more of each that holds a batch: with many workers, and a search every
        // few items, no owner would find its own lines in its cache (docs/scale.md).
        if (!evenInTime && now < _nextSearch)
        {
            return null;
        }

        Worker? oldest = null;
        long next = now + WorkerTuning.TimeBetweenSearches;
        foreach (Worker other in state.Workers)
        {
            Counters.Add(Counted.HolderLook);
            if (other == worker || !other.Order.IsHolder)
            {
                continue;
            }

            if (other.Queues.HeldCount <= 0)
            {
                other.Order.EndHolding();
                continue;
            }

            long held = other.Queues.HeldSince;
            if (held < since)
            {
                // The next search comes when one of these becomes late. Where one is late, it comes as soon as that found here is over.
                next = Math.Min(next, held + WorkerTuning.LateBatch);
                (oldest, since) = evenInTime || now >= held + WorkerTuning.LateBatch ? (other, held) : (oldest, since);
            }
        }

        _nextSearch = next;
        (_late, _lateSince) = now - since >= WorkerTuning.LateBatch ? (oldest, since) : (null, 0);
        return oldest;
    }

    private bool IsHolder => Volatile.Read(ref _isHolder.Value) != 0;

    private void Measure(long now) => _cost.Measure(now, worker.CompletedCount);

    private void CheckSoon(long now)
    {
        if (OthersHold && worker.Queues.HeldCount > WorkerTuning.PicksPerCheck)
        {
            worker.Pace.CheckSoon(now);
        }
    }
}
