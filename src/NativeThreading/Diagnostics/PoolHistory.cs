using NativeThreading.Workers;

namespace NativeThreading.Diagnostics;

/// <summary>What one observer saw of a pool at its last look.</summary>
internal sealed class PoolHistory
{
    private Dictionary<int, WorkerHistory> _workers = []; // by index
    private long[]? _waits;

    public PoolSnapshot Look(NativeThreadPool pool, long now)
    {
        Worker[] workers = pool.Workers;
        return new PoolSnapshot
        {
            Id = pool.Number,
            Name = pool.Name,
            IsShuttingDown = pool.IsDraining,
            MinThreads = pool.MinThreads,
            MaxThreads = pool.MaxThreads,
            MaxBlockedThreads = pool.MaxBlockedThreads,
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

    private WorkerSnapshot[] Look(Worker[] workers, long now)
    {
        var known = new Dictionary<int, WorkerHistory>();
        foreach (Worker worker in workers)
        {
            known[worker.Index] = _workers.TryGetValue(worker.Index, out WorkerHistory? history) && history.IsOf(worker) ? history : new WorkerHistory(worker);
        }

        _workers = known;
        return [.. workers.OrderBy(static worker => worker.Index).Select(worker => known[worker.Index].Look(worker, now))];
    }

    /// <summary>At the first look of this observer nothing is known of the time before.</summary>
    private QueueWaits? Waits(long[] sums)
    {
        long[] before = _waits ?? sums;
        _waits = sums;
        long[] counts = [.. sums.Zip(before, static (sum, earlier) => Math.Max(0, sum - earlier))];
        return Array.TrueForAll(counts, static count => count == 0) ? null : new QueueWaits(Array.AsReadOnly(counts));
    }
}
