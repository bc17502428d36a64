using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>A pool as a debugger shows it: a snapshot. Nothing is locked or changed, because the debugger may have stopped the
/// thread that holds a lock.</summary>
internal sealed class PoolView(NativeThreadPool pool)
{
    public string Name => pool.Name;
    public string State => pool.IsStopped ? "stopped" : pool.IsDraining ? "draining" : "running";
    public string Limits => $"{pool.MinThreads} to {pool.MaxThreads} threads, up to {pool.MaxBlockedThreads} blocked ones in addition";

    /// <summary>The number of items that may wait and that do wait; <see langword="null"/> if there is no limit.</summary>
    public string? QueueLimit => pool.Permits is { } permits ? $"{permits.HeldCount} of {permits.Limit} permits held" : null;
    public WorkerView[] Threads => Array.ConvertAll(pool.Workers, static worker => new WorkerView(worker));
    public int BlockedThreadCount => pool.BlockedThreadCount;
    public long PendingWorkItemCount => pool.PendingWorkItemCount;

    /// <summary>Items in the injector queue, shard by shard, the oldest first.</summary>
    public PendingItemView[] ItemsFromOutside => PendingItemView.Of(pool.Injector.PendingItems());

    /// <summary>Tasks that ran on the built-in pool because this one had stopped.</summary>
    public long RanElsewhereCount => pool.RanElsewhereCount;
}

/// <summary>A worker as a debugger shows it. The stack of its thread shows what it runs.</summary>
[DebuggerDisplay("{State,nq}, {PendingItems.Length} pending", Name = "{Name,nq}")]
internal sealed class WorkerView(Worker worker)
{
    public string Name => worker.Name;

    public WorkerState State => WorkerHistory.StateOf(worker, hasStood: false);

    /// <summary>Its thread; <see langword="null"/> until the thread runs.</summary>
    public Thread? Thread => worker.Thread;
    public long CompletedItemCount => worker.CompletedCount;

    /// <summary>The items in its queues, the oldest first: those of its deque, of which the newest is next, then its lane's.</summary>
    public PendingItemView[] PendingItems => PendingItemView.Of(worker.Queues.PendingItems());
}

/// <summary>A group as a debugger shows it; as with <see cref="PoolView"/>, nothing is locked.</summary>
internal sealed class GroupView(WorkGroup group)
{
    public NativeThreadPool Pool => group.Pool;

    /// <summary>Items that were queued and are not known to have ended.</summary>
    public long PendingCount => group.PendingCount;

    /// <summary>Those of them that still wait in queues.</summary>
    public PendingItemView[] WaitingItems => PendingItemView.Of(group.Pool.PendingItems.Where(item => ItemContext.GroupOf(item.Context) == group));

    /// <summary>Exceptions of items that no waiter has received yet.</summary>
    public Exception[] Exceptions => group.UntoldExceptions;
}

/// <summary>A waiting item, as a debugger shows it: the callback and its argument. It is never called here.</summary>
[DebuggerDisplay("{Callback.Method}, {State}")]
internal sealed class PendingItemView(in WorkItem item)
{
    /// <summary>The callback. For a task or operation it is the function that starts it; the task or operation is the state.</summary>
    public Delegate? Callback { get; } = item.Callback;

    /// <summary>The argument of the callback.</summary>
    public object? State { get; } = item.State;

    /// <summary>The group it belongs to, if any.</summary>
    public WorkGroup? Group { get; } = ItemContext.GroupOf(item.Context);

    public static PendingItemView[] Of(IEnumerable<WorkItem> items) => [.. items.Select(static item => new PendingItemView(item))];
}

/// <summary>A semaphore as a debugger shows it: two loads of its word. No exception after its disposal.</summary>
internal sealed class SemaphoreView(LifoSemaphore semaphore)
{
    /// <summary>Whether it was disposed. Then the other values are 0.</summary>
    public bool IsDisposed => semaphore.IsDisposed;
    public int CurrentCount => IsDisposed ? 0 : semaphore.CurrentCount;
    public int WaiterCount => IsDisposed ? 0 : semaphore.WaiterCount;
}
