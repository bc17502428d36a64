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
    private readonly Line _moved = new(LineKind.QueueEnds);
    private bool _isHolder;
    private long _end;
    private long _since;
    private long _nextSearch;
    private SimulatedWorker? _late;
    private long _lateSince;
    private int _picksLeft = 1;
    private int _picksToLook;
    private long _measuredCompleted;
    private long _measuredSince;
    private int _mostPerBatch = 1;

    /// <summary>Items of the last batch that have not been taken.</summary>
    private long HeldCount => Math.Min(_end - Queues.Lane.Position, Queues.Lane.Count);

    private bool DoOthersHold()
    {
        Pool.HoldersLine.Read(this);
        return Pool.Holders != (_isHolder ? 1 : 0);
    }

    private void BeginBatch()
    {
        _moved.Write(this);
        (_end, _since) = (Queues.Lane.Position + Queues.Lane.Count, Now);
        SetHolder(true);
        if (DoOthersHold() && HeldCount > WorkerTuning.PicksPerCheck)
        {
            _picksLeft = 1;
        }
    }

    private void EndHolding()
    {
        if (_isHolder && HeldCount <= 0)
        {
            SetHolder(false);
        }
    }

    private void SetHolder(bool isHolder)
    {
        _mark.Change(this);
        if (_isHolder != isHolder)
        {
            _isHolder = isHolder;
            Count(Counted.HolderChange);
            Pool.HoldersLine.Change(this);
            Pool.Holders += isHolder ? 1 : -1;
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
            EndHolding();
        }

        _picksLeft = DoOthersHold() ? Math.Min(WorkerTuning.PicksPerCheck, _picksToLook) : _picksToLook;
        _picksToLook -= _picksLeft;
        return TryTakeLate() || (atOthers && HeldCount <= 0);
    }

    /// <summary>Takes the front of another worker's batch that is late.</summary>
    private bool TryTakeLate()
    {
        if (!DoOthersHold() || FindOlder() is not { } oldest || oldest.Queues.Ask(this) is not { } mover)
        {
            return false;
        }

        bool taken = oldest.Queues.Pending != 0;
        if (taken)
        {
            MoveOldest(oldest.Queues.Lane.Count != 0 ? oldest.Queues.Lane : oldest.Queues.Deque, local: true, mover);
            Count(Counted.Steal);
        }

        oldest.Queues.End(this, mover);
        return taken;
    }

    /// <summary>The worker with the oldest batch that is late, and older than the batch of this one. Looks at all of them, or at the last one that
    /// was found.</summary>
    private SimulatedWorker? FindOlder()
    {
        if (Queues.Deque.Count != 0)
        {
            return null;
        }

        long since = HeldCount > 0 ? _since : long.MaxValue;
        if (_late is { } late)
        {
            Count(Counted.HolderLook);
            if (late.HeldSince(this) == _lateSince && _lateSince < since)
            {
                return late;
            }

            _late = null;
        }

        long now = Now;
        if (now < _nextSearch)
        {
            return null;
        }

        _nextSearch = now + s_betweenSearches;
        foreach (SimulatedWorker other in Pool.Workers)
        {
            Count(Counted.HolderLook);
            if (other != this && other.HeldSince(this) is long held && held < since)
            {
                _nextSearch = Math.Min(_nextSearch, held + s_lateBatch);
                (_late, since) = now >= held + s_lateBatch ? (other, held) : (_late, since);
            }
        }

        _lateSince = since;
        return _late;
    }

    /// <summary>When the batch was moved that the worker holds, to a reader that looks; null for none.</summary>
    private long? HeldSince(Agent reader)
    {
        _mark.Read(reader);
        if (!_isHolder)
        {
            return null;
        }

        _moved.Read(reader);
        Queues.Lane.Head.Read(reader);
        Queues.Lane.Tail.Read(reader);
        return HeldCount > 0 ? _since : null;
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
