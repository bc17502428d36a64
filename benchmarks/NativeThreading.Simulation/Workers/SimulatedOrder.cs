using System.Diagnostics;
using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What one worker has moved into its lane, how much it may move, and whether others are late with theirs. As ItemOrder and ItemCost.</summary>
internal sealed class SimulatedOrder(SimulatedWorker worker)
{
    private static readonly long s_lateBatch = Nanoseconds(WorkerTuning.LateBatch);
    private static readonly long s_betweenSearches = Nanoseconds(WorkerTuning.TimeBetweenSearches);
    private static readonly long s_batchTime = Nanoseconds(WorkerTuning.BatchTime);

    private readonly Line _mark = new(LineKind.Holders);
    private readonly Line _moved = new(LineKind.QueueEnds);
    private bool _isHolder;
    private long _end;
    private long _since;
    private long _measuredSince;
    private long _measuredCompleted;
    private long _nextSearch;
    private SimulatedWorker? _late;
    private long _lateSince;

    /// <summary>Items that may be moved at once.</summary>
    public int MostPerBatch { get; private set; } = 1;

    /// <summary>Items of the last batch that have not been taken.</summary>
    public long HeldCount => Math.Min(_end - worker.Queues.Lane.Position, worker.Queues.Lane.Count);

    public bool DoOthersHold()
    {
        worker.Pool.HoldersLine.Read(worker);
        return worker.Pool.Holders != (_isHolder ? 1 : 0);
    }

    /// <summary>Items were moved from a shard.</summary>
    public void NoteMoved(int moved)
    {
        if (moved <= 1 && !worker.Pool.LooksNonEmpty(worker))
        {
            _measuredSince = 0;
            return;
        }

        Measure();
        if (moved > 1)
        {
            BeginBatch();
        }
    }

    public void BeginBatch()
    {
        _moved.Write(worker);
        _end = worker.Queues.Lane.Position + worker.Queues.Lane.Count;
        _since = worker.Now;
        _mark.Change(worker);
        if (!_isHolder)
        {
            _isHolder = true;
            ChangeHolders(1);
        }

        if (DoOthersHold() && HeldCount > WorkerTuning.PicksPerCheck)
        {
            worker.LookSoon();
        }
    }

    public void EndHolding()
    {
        if (_isHolder && HeldCount <= 0)
        {
            _isHolder = false;
            _mark.Change(worker);
            ChangeHolders(-1);
        }
    }

    public void NoteIdle()
    {
        Measure();
        _measuredSince = 0;
        EndHolding();
    }

    /// <summary>The worker with the oldest batch that is late, and older than what this one holds. Looks at all of them.</summary>
    public SimulatedWorker? FindOlder()
    {
        long now = worker.Now;
        if (worker.Queues.Deque.Count != 0)
        {
            return null;
        }

        long since = HeldCount > 0 ? _since : long.MaxValue;
        if (!worker.Pool.Mending.HasFlag(Mending.ManyHolderLooks))
        {
            if (_late is { } late)
            {
                worker.Count(Counted.HolderLook);
                if (late.Order.HeldSince(worker) == _lateSince && _lateSince < since)
                {
                    return late;
                }

                _late = null;
            }

            if (now < _nextSearch)
            {
                return null;
            }
        }

        SimulatedWorker? oldest = null;
        _nextSearch = now + s_betweenSearches;
        foreach (SimulatedWorker other in worker.Pool.Workers)
        {
            worker.Count(Counted.HolderLook);
            if (other != worker && other.Order.HeldSince(worker) is long held && held < since)
            {
                _nextSearch = Math.Min(_nextSearch, held + s_lateBatch);
                (oldest, since) = now >= held + s_lateBatch ? (other, held) : (oldest, since);
            }
        }

        (_late, _lateSince) = (oldest, since);
        return oldest;
    }

    /// <summary>How many items fit into a batch, by what they have cost since the last time.</summary>
    public void Measure()
    {
        long items = worker.Completed - _measuredCompleted;
        if (_measuredSince != 0 && items > 0)
        {
            long fit = items * s_batchTime / Math.Max(worker.Now - _measuredSince, 1);
            MostPerBatch = (int)Math.Clamp(fit, 1, Math.Min(WorkerTuning.MostPerBatch, 2 * MostPerBatch));
        }

        (_measuredSince, _measuredCompleted) = (worker.Now, worker.Completed);
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
        worker.Queues.Lane.Head.Read(reader);
        worker.Queues.Lane.Tail.Read(reader);
        return HeldCount > 0 ? _since : null;
    }

    private void ChangeHolders(int change)
    {
        worker.Count(Counted.HolderChange);
        worker.Pool.HoldersLine.Change(worker);
        worker.Pool.Holders += change;
    }

    private static long Nanoseconds(long ticks) => (long)(ticks * (1e9 / Stopwatch.Frequency));
}
