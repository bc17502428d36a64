using System.Diagnostics;
using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a worker has moved into its lane, how much it may move at once, and whether others are late with theirs. As ItemOrder and
/// ItemCost.</summary>
internal sealed partial class SimulatedWorker
{
    private static readonly long s_lateBatch = Nanoseconds(WorkerTuning.LateBatch);
    private static readonly long s_betweenSearches = Nanoseconds(WorkerTuning.TimeBetweenSearches);
    private static readonly long s_batchTime = Nanoseconds(WorkerTuning.BatchTime);

    private readonly Line _mark = new(LineKind.Holders);
    private bool _isHolder;
    private long _end; // of the last batch, and when it was moved
    private long _since;
    private (SimulatedWorker Worker, long Since)? _late; // the last one that was found
    private long _nextSearch;
    private int _picksLeft = 1;
    private int _picksToLook;
    private long _measuredCompleted;
    private long _measuredSince;
    private int _mostPerBatch = 1;

    /// <summary>When the batch was moved of which the worker still holds items.</summary>
    private long? HeldSince => Math.Min(_end - Queues.Lane.Position, Queues.Lane.Count) > 0 ? _since : null;

    private bool DoOthersHold()
    {
        Pool.HoldersLine.Read(this);
        return Pool.Holders != (_isHolder ? 1 : 0);
    }

    private void BeginBatch(int items)
    {
        if (items > 1)
        {
            (_end, _since) = (Queues.Lane.Position + Queues.Lane.Count, Now);
            MarkHolder();
            _picksLeft = DoOthersHold() && items > WorkerTuning.PicksPerCheck ? 1 : _picksLeft;
        }
    }

    /// <summary>Shows whether it holds a batch.</summary>
    private void MarkHolder()
    {
        bool holds = HeldSince is not null;
        if (_isHolder != holds)
        {
            _isHolder = holds;
            _mark.Change(this);
            Count(Counted.HolderChange);
            Pool.HoldersLine.Change(this);
            Pool.Holders += holds ? 1 : -1;
        }
    }

    /// <summary>A look at the clock, and at batches that are late. Whether to look for others' work as well.</summary>
    private bool LookAtOrder()
    {
        Spend(Costs.Clock);
        bool atOthers = _picksToLook <= 0;
        if (atOthers)
        {
            _picksToLook = WorkerTuning.MostPicksPerLook;
            MarkHolder();
        }

        _picksLeft = DoOthersHold() ? Math.Min(WorkerTuning.PicksPerCheck, _picksToLook) : _picksToLook;
        _picksToLook -= _picksLeft;
        return TryTakeLate() || (atOthers && HeldSince is null);
    }

    /// <summary>Takes the front of another worker's batch that is late, and older than the batch of this one.</summary>
    private bool TryTakeLate()
    {
        if (!DoOthersHold() || Queues.Deque.Count != 0 || !FindLate(HeldSince ?? long.MaxValue) || _late!.Value.Worker.Queues is not { Pending: > 0 } from
            || from.Ask(this) is not { } mover)
        {
            return false;
        }

        MoveOldest(from.Lane.Count != 0 ? from.Lane : from.Deque, local: true, mover);
        Count(Counted.Steal);
        from.End(this, mover);
        return true;
    }

    /// <summary>The last one that was found may serve again. Else all workers are looked at, but not often.</summary>
    private bool FindLate(long since)
    {
        if (_late is { } last && last.Since < since && LookAtBatch(last.Worker) == last.Since)
        {
            return true;
        }

        _late = null;
        long now = Now;
        if (now >= _nextSearch)
        {
            _nextSearch = now + s_betweenSearches;
            foreach (SimulatedWorker other in Pool.Workers)
            {
                if (other != this && LookAtBatch(other) is long held && held < since)
                {
                    _nextSearch = Math.Min(_nextSearch, held + s_lateBatch);
                    (_late, since) = now >= held + s_lateBatch ? ((other, held), held) : (_late, since);
                }
            }
        }

        return _late is not null;
    }

    private long? LookAtBatch(SimulatedWorker other)
    {
        Count(Counted.HolderLook);
        other._mark.Read(this);
        if (other._isHolder)
        {
            other.Queues.Lane.Head.Read(this);
            other.Queues.Lane.Tail.Read(this);
        }

        return other._isHolder ? other.HeldSince : null;
    }

    /// <summary>How many items fit into a batch, by what they have cost since the last time.</summary>
    private void Measure()
    {
        long items = _completed - _measuredCompleted;
        if (_measuredSince != 0 && items > 0)
        {
            long fit = items * s_batchTime / Math.Max(Now - _measuredSince, 1);
            _mostPerBatch = (int)Math.Clamp(fit, 1, Math.Min(WorkerTuning.MostPerBatch, 2 * _mostPerBatch));
        }

        (_measuredSince, _measuredCompleted) = (Now, _completed);
    }

    private static long Nanoseconds(long ticks) => (long)(ticks * (1e9 / Stopwatch.Frequency));
}
