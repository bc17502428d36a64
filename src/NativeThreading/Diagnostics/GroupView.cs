using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>A group as a debugger shows it; as with <see cref="PoolView"/>, nothing is locked.</summary>
internal sealed class GroupView(WorkGroup group)
{
    public NativeThreadPool Pool => group.Pool;

    /// <summary>Items that were queued and are not known to have ended.</summary>
    public long PendingCount => group.PendingCount;

    /// <summary>Those of them that still wait in queues.</summary>
    public PendingItemView[] WaitingItems => PendingItemView.Of(
        group.Pool.Workers.SelectMany(static worker => worker.Queues.PendingItems())
            .Concat(group.Pool.Injector.Shards.SelectMany(static shard => shard.PendingItems()))
            .Where(item => ItemContext.GroupOf(item.Context) == group));

    /// <summary>Exceptions of items that no waiter has received yet.</summary>
    public Exception[] Exceptions => group.UntoldExceptions;
}
