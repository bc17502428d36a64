namespace NativeThreading.Diagnostics;

/// <summary>A pool as a debugger shows it: a snapshot. Nothing is locked or changed, because the debugger may have stopped the
/// thread that holds a lock.</summary>
internal sealed class PoolView(NativeThreadPool pool)
{
    public string Name => pool.Name;
    public string State => pool.IsStopped ? "stopped" : pool.IsDraining ? "draining" : "running";
    public string Limits => $"{pool.MinThreads} to {pool.MaxThreads} threads, up to {pool.MaxBlockedThreads} blocked ones in addition";

    /// <summary>How many items may wait, and do; <see langword="null"/> where there is no limit.</summary>
    public string? QueueLimit => pool.Permits is { } permits ? $"{permits.HeldCount} of {permits.Limit} permits held" : null;
    public WorkerView[] Threads => Array.ConvertAll(pool.Workers, static worker => new WorkerView(worker));
    public int BlockedThreadCount => pool.BlockedThreadCount;
    public long PendingWorkItemCount => pool.PendingWorkItemCount;

    /// <summary>Items in the injector queue, shard by shard, the oldest first.</summary>
    public PendingItemView[] ItemsFromOutside => PendingItemView.Of(pool.Injector.Shards.SelectMany(static shard => shard.PendingItems()));

    /// <summary>Tasks that ran on the runtime's pool because this one had stopped.</summary>
    public long RanElsewhereCount => pool.RanElsewhereCount;
}
