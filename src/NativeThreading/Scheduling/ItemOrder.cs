using System.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// Keeps the order of the items that one worker moved (T133). While all workers make progress, batches are so short that no item is overdue by
/// much. A worker whose own items take long, or that finds an overdue batch, takes the oldest moved item of the pool, one at a time.
/// </summary>
/// <remarks>
/// A worker that runs items which are newer than another worker's batch reads the clock every few items, because short items may
/// become long ones from one to the next. Skipped when our items are the oldest or we are the only holder.
/// </remarks>
internal sealed class ItemOrder(Worker worker, PoolState state)
{
    private ItemCost _cost;
    private long _nextSearch; // for an overdue batch of another worker
    private Worker? _late; // the holder of the overdue batch that the last search found
    private long _lateSince;
    private PaddedIndex _isHolder; // padded, because other workers read it while this worker writes the fields of each batch

    /// <summary>Whether other workers hold batches.</summary>
    public bool OthersHold => state.Injector.HolderCount != _isHolder.Value;

    /// <summary>The most items that the worker may move at once.</summary>
    public int MostPerBatch => _cost.MostPerBatch;

    /// <summary>A batch of more than one item was moved into the lane.</summary>
    public void BeginHolding()
    {
        if (Interlocked.Exchange(ref _isHolder.Value, 1) == 0)
        {
            state.Injector.AddHolder(1);
        }
    }

    /// <summary>Called by the owner, or by another worker that sees an empty batch: an owner that parks in the reserve cannot call it.</summary>
    public void EndHolding()
    {
        if (Volatile.Read(ref _isHolder.Value) != 0 && worker.Queues.HeldCount <= 0 && Interlocked.Exchange(ref _isHolder.Value, 0) != 0)
        {
            state.Injector.AddHolder(-1);

            // Since the count was read, the owner may have moved more items and found itself still marked. Pairs with the owner's
            // exchange in BeginHolding, which comes after the batch is written. One of the two threads marks the owner again.
            if (worker.Queues.HeldCount > 0)
            {
                BeginHolding();
            }
        }
    }

    /// <summary>The last action of a worker whose thread ends. Other workers have taken its items, or will take them.</summary>
    public void EndHoldingForGood()
    {
        if (Interlocked.Exchange(ref _isHolder.Value, 0) != 0)
        {
            state.Injector.AddHolder(-1);
        }
    }

    /// <summary>Called after a transfer: measures the items that ran before it, and marks the worker as a holder of the new batch.</summary>
    public void NoteMoved(int moved)
    {
        if (moved <= 1 && !state.Injector.AnyItem)
        {
            _cost.Pause(); // a single item says nothing about the others and is not worth a read of the clock
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

    /// <summary>The same for a range, whose items are not moved: compared with the batches of other workers it is as new as a moved batch.</summary>
    /// <param name="goesOn">Whether the worker continues a range; it has then read the clock as often as required.</param>
    public void NoteRange(bool goesOn)
    {
        long now = Stopwatch.GetTimestamp();
        Measure(now);
        if (!goesOn && OthersHold)
        {
            worker.Pace.CheckSoon(now);
        }
    }

    /// <summary>The same for items from another worker's queue.</summary>
    public void NoteStolen(long now)
    {
        Measure(now);
        CheckSoon(now);
    }

    /// <summary>The worker is idle: the time that follows is not the time of items.</summary>
    public void NoteIdle(long now)
    {
        Measure(now);
        _cost.Pause();
        _late = null; // drops the reference, because the worker may retire
        EndHolding();
    }

    /// <summary>Called when the clock was read: whether the items since the last read have taken long.</summary>
    public bool Check(long now, bool othersHold)
    {
        bool isLong = worker.Pace.Check(now, othersHold);
        if (isLong)
        {
            Measure(now);
        }

        return isLong;
    }

    /// <summary>The worker that holds the oldest overdue batch, or the oldest batch of all, if that batch is older than the caller's own.</summary>
    public Worker? FindOlder(long now, bool evenInTime)
    {
        if (worker.Queues.LocalCount != 0)
        {
            return null; // local items, which items of this worker have queued, come first
        }

        long since = worker.Queues.HeldCount > 0 ? worker.Queues.HeldSince : long.MaxValue;
        if (_late is { } late)
        {
            // No worker held an older batch at the search, so no worker holds one before this batch is empty.
            Counters.Add(Counted.HolderLook);
            if (late.Queues.HeldCount > 0 && late.Queues.HeldSince == _lateSince && _lateSince < since)
            {
                return late;
            }

            _late = null;
        }

        // A search reads one cache line of each worker, and three more of each holder. With many workers and a search every
        // few items, no owner would find its own lines in its cache (docs/contributors/scale.md).
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
                // The next search comes when one of these batches becomes overdue; if one is overdue already, when that batch is empty.
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

/// <summary>
/// How many items a worker may move into its lane at once: as many as fit into a short time, judged by what items have
/// cost lately. One if they are long or nothing is known: a moved item waits for the item that its worker runs (T133).
/// </summary>
internal struct ItemCost
{
    private long _since;
    private long _completed;
    private int _most;

    /// <summary>Items that fit.</summary>
    public readonly int MostPerBatch => Math.Max(_most, 1);

    /// <summary>
    /// Takes the time that items have taken since the last call or <see cref="Pause"/>, and starts anew. A batch shrinks at
    /// once and grows twofold: the price of a wrong guess is others' order.
    /// </summary>
    public void Measure(long now, long completed)
    {
        long items = completed - _completed;
        if (_since != 0 && items > 0)
        {
            long fit = items * WorkerTuning.BatchTime / Math.Max(now - _since, 1);
            _most = (int)Math.Clamp(fit, 1, Math.Min(WorkerTuning.MostPerBatch, 2 * MostPerBatch));
        }

        (_since, _completed) = (now, completed);
    }

    /// <summary>What follows is not the time of items.</summary>
    public void Pause() => _since = 0;
}
