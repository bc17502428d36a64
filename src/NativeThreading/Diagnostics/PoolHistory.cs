using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>The state of a pool at the last sample of one observer.</summary>
internal sealed class PoolHistory
{
    private Dictionary<int, WorkerHistory> _workers = []; // by index
    private Worker[] _seen = []; // between a glance and the sample
    private long[]? _waits;
    private Marks _marks;

    /// <summary>Before <see cref="Glance"/>. Returns whether nothing has happened in the pool since the previous call, and no item waits. Reads only
    /// the pool.</summary>
    public bool HasRested(NativeThreadPool pool)
    {
        Worker[] workers = pool.Workers;
        long changes = 0;
        foreach (Worker worker in workers)
        {
            // Each item that does not follow another one on its worker ends a park, or a scan of the worker.
            changes += worker.Blocking.Parks + (long)worker.Looks;
        }

        var marks = new Marks(
            workers.Length, pool.CompletedWorkItemCount, changes, pool.BlockedThreadCount, pool.State.GroupWaits, pool.LongRunningThreadCount,
            pool.RejectedWorkItemCount, pool.ExpiredWorkItemCount, pool.InjectedThreadCount, pool.RescuedThreadCount, pool.RepairCount,
            (pool.MinThreads, pool.MaxThreads, pool.MaxBlockedThreads, pool.MaxRescueThreads, pool.QueueLimit, pool.IsDraining));
        bool hasRested = marks == _marks && pool.PendingWorkItemCount == 0;
        _marks = marks;
        return hasRested;
    }

    /// <summary>Before <see cref="Look(NativeThreadPool, long)"/>. Returns whether a worker waits, so that a second sample must find out
    /// why.</summary>
    public bool Glance(NativeThreadPool pool)
    {
        _seen = pool.Workers;
        var known = new Dictionary<int, WorkerHistory>();
        bool waits = false;
        foreach (Worker worker in _seen)
        {
            WorkerHistory its = _workers.TryGetValue(worker.Index, out WorkerHistory? history) && history.IsOf(worker) ? history : new WorkerHistory(worker);
            known[worker.Index] = its;
            waits |= its.Waits(worker);
        }

        _workers = known;
        return waits;
    }

    /// <summary>After <see cref="Glance"/>. Workers that started between the two are left to the next sample.</summary>
    public PoolSnapshot Look(NativeThreadPool pool, long now)
    {
        Worker[] workers = _seen;
        _seen = []; // keeps no worker alive
        return new PoolSnapshot
        {
            Id = pool.Number,
            Name = pool.Name,
            IsShuttingDown = pool.IsDraining,
            MinThreads = pool.MinThreads,
            MaxThreads = pool.MaxThreads,
            MaxBlockedThreads = pool.MaxBlockedThreads,
            MaxRescueThreads = pool.MaxRescueThreads,
            RescueThreadCount = pool.RescueThreadCount,
            AllThreadsBlockedDuration = pool.AllThreadsBlockedDuration,
            LostWakeCount = pool.RepairCount,
            ExpiredWorkItemCount = pool.ExpiredWorkItemCount,
            RescueCount = pool.RescuedThreadCount,
            QueueLimit = pool.QueueLimit,
            LongRunningThreadCount = pool.LongRunningThreadCount,
            QueueLength = pool.PendingWorkItemCount,
            OldestWorkItemAge = pool.OldestWorkItemAge,
            CompletedWorkItemCount = pool.CompletedWorkItemCount,
            ReplacementCount = pool.InjectedThreadCount,
            RefusalCount = pool.RejectedWorkItemCount,
            StealCount = pool.StealCount,
            WakeCount = pool.WakeCount,
            QueueWaits = Waits(pool.ItemRecords.SumWaits(workers)),
            Workers = Look(workers, now),
        };
    }

    private WorkerSnapshot[] Look(Worker[] workers, long now) =>
        [.. workers.OrderBy(static worker => worker.Index).Select(worker => _workers[worker.Index].Look(worker, now))];

    /// <summary>Before the first sample of this observer nothing is known.</summary>
    private QueueWaits? Waits(long[] sums)
    {
        long[] before = _waits ?? sums;
        _waits = sums;
        long[] counts = [.. sums.Zip(before, static (sum, earlier) => Math.Max(0, sum - earlier))];
        return Array.TrueForAll(counts, static count => count == 0) ? null : new QueueWaits(Array.AsReadOnly(counts));
    }

    /// <summary>Counts that change with every activity of a pool.</summary>
    private readonly record struct Marks(
        int Threads, long Completed, long Changes, int Blocked, int GroupWaits, int LongRunning,
        long Rejected, long Expired, long Replacements, long Rescues, long Repairs,
        (int Min, int Max, int MaxBlocked, int MaxRescue, int? QueueLimit, bool IsDraining) Options);
}
