using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading.Diagnostics;

/// <summary>A waiting item, as a debugger shows it: the callback and its argument. It is never called here.</summary>
[DebuggerDisplay("{Callback.Method}, {State}")]
internal sealed class PendingItemView(in WorkItem item)
{
    /// <summary>The callback. Of a task or operation it is the function that begins it; the task or operation is the state.</summary>
    public Delegate? Callback { get; } = item.Callback;

    /// <summary>What it is called with.</summary>
    public object? State { get; } = item.State;

    /// <summary>The group it belongs to, if any.</summary>
    public WorkGroup? Group { get; } = ItemContext.GroupOf(item.Context);

    public static PendingItemView[] Of(IEnumerable<WorkItem> items) => [.. items.Select(static item => new PendingItemView(item))];
}
