using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// Keeping the order of what was moved (T133). While all get on, batches are short enough that nothing is late by much.
/// Who finds his own items long, or somebody's batch late, takes the oldest moved item there is, one at a time.
/// </summary>
/// <remarks>
/// A worker that runs items which are newer than somebody else's batch reads the clock every few items: short items may
/// become long ones from one to the next. Nobody does so for his own oldest items, and where one worker alone holds a batch.
/// </remarks>
internal sealed unsafe partial class Worker
{
    /// <summary>Between two looks at the clock while others hold older items.</summary>
    private const int PicksPerCheck = 4;

    /// <summary>From here on an item is long: what is run of them between two checks takes half of what an item may be late.</summary>
    private static readonly long s_longItem = Stopwatch.Frequency / 80_000; // 12.5 us

    /// <summary>A batch that is not over by then is late: many times what it was made for.</summary>
    private static readonly long s_lateBatch = Stopwatch.Frequency / 10_000; // 100 us

    private ItemCost _cost;
    private int _isHolder;

    private bool OthersHold => _pool.External.HolderCount != _isHolder;

    /// <summary>A batch of more than one item was moved into the lane.</summary>
    private void BeginHolding()
    {
        if (Interlocked.Exchange(ref _isHolder, 1) == 0)
        {
            _pool.External.AddHolder(1);
        }
    }

    /// <summary>By the owner, or by whoever sees that nothing is left: one that parks in the reserve cannot.</summary>
    private void EndHolding()
    {
        if (Volatile.Read(ref _isHolder) != 0 && _queues.HeldCount <= 0 && Interlocked.Exchange(ref _isHolder, 0) != 0)
        {
            _pool.External.AddHolder(-1);

            // The owner may have moved more since the look at the count, and have found itself marked: pairs with its
            // exchange in BeginHolding, which comes after the batch is written. One of the two marks it again.
            if (_queues.HeldCount > 0)
            {
                BeginHolding();
            }
        }
    }

    /// <summary>The last act of a worker, whose items others have taken or will.</summary>
    private void EndHoldingForGood()
    {
        if (Interlocked.Exchange(ref _isHolder, 0) != 0)
        {
            _pool.External.AddHolder(-1);
        }
    }

    /// <summary>After a transfer: what it says about the items before it, and what is to be kept in mind while it lasts.</summary>
    private void NoteMoved(int moved)
    {
        if (moved <= 1 && !_pool.External.AnyItem)
        {
            _cost.Pause(); // a single item tells nothing and is not worth a look at the clock
            return;
        }

        long now = moved > 1 ? _queues.HeldSince : Stopwatch.GetTimestamp();
        _cost.Measure(now, _completed.Value);
        if (moved <= 1)
        {
            return;
        }

        BeginHolding();
        CheckSoon(now);
    }

    /// <summary>The same where it was another worker's queue.</summary>
    private void NoteStolen(long now)
    {
        _cost.Measure(now, _completed.Value);
        CheckSoon(now);
    }

    private void CheckSoon(long now)
    {
        if (!OthersHold || _queues.HeldCount <= PicksPerCheck)
        {
            return;
        }

        // After the first item already: where what others hold has become long, all of this batch is, for it is newer.
        _pace.LastCheck = now;
        _pace.PicksBehindCheck += Math.Max(_pace.PicksLeft - 1, 0);
        _pace.PicksLeft = _pace.PicksPerCheck = 1;
    }

    /// <summary>
    /// Whether items have been long since the last check. Sets the next one: after each item while they are long and others
    /// hold some, after a few while others hold some at all.
    /// </summary>
    private bool CheckItems(long now, bool othersHold)
    {
        bool isLong = now - _pace.LastCheck >= _pace.PicksPerCheck * s_longItem;
        _pace.LastCheck = now;
        if (isLong)
        {
            _cost.Measure(now, _completed.Value);
        }

        int picks = !othersHold ? _pace.PicksBehindCheck : Math.Min(isLong ? 1 : PicksPerCheck, _pace.PicksBehindCheck);
        _pace.PicksLeft = _pace.PicksPerCheck = picks;
        _pace.PicksBehindCheck -= picks;
        return isLong;
    }

    /// <summary>Takes the front of the oldest batch that somebody else holds: of all that are late, or of all.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryTakeOlder(long now, bool evenInTime, ref WorkItem item)
    {
        if (_queues.LocalCount != 0)
        {
            return false; // what the items of this worker have queued for it comes first
        }

        Worker? oldest = null;
        long since = _queues.HeldCount > 0 ? _queues.HeldSince : evenInTime ? long.MaxValue : now - s_lateBatch;
        foreach (Worker other in _roster.Workers)
        {
            if (other == this || Volatile.Read(ref other._isHolder) == 0)
            {
                continue;
            }

            if (other._queues.HeldCount <= 0)
            {
                other.EndHolding();
            }
            else if (other._queues.HeldSince < since && (evenInTime || now - other._queues.HeldSince >= s_lateBatch))
            {
                (oldest, since) = (other, other._queues.HeldSince);
            }
        }

        return oldest is not null && TryTakeFrontOf(oldest, ref item);
    }
}
