using System.Diagnostics;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>A worker as a debugger shows it. The stack of its thread shows what it runs.</summary>
[DebuggerDisplay("{State,nq}, {PendingItems.Length} pending", Name = "{Name,nq}")]
internal sealed class WorkerView(Worker worker)
{
    public string Name => worker.Name;

    public string State =>
        worker.Thread is null ? "starts"
        : worker.Blocking.IsInRegion ? "in a blocking region"
        : worker.Blocking.WaitsForGroup ? "waits for a group"
        : worker.Blocking.IsCounted ? "detected as blocked"
        : Blocking.IsParked(worker.Blocking.Parks) ? "parked"
        : "runs";

    /// <summary>Its thread; <see langword="null"/> until the thread runs.</summary>
    public Thread? Thread => worker.Thread;
    public long CompletedItemCount => worker.CompletedCount;

    /// <summary>The items in its queues, the oldest first: those of its deque, of which the newest is next, then its lane's.</summary>
    public PendingItemView[] PendingItems => PendingItemView.Of(worker.Queues.PendingItems());
}
