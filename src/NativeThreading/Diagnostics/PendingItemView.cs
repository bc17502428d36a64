using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Workers;

namespace NativeThreading.Diagnostics;

/// <summary>An item that waits, as a debugger shows it: what would be called, and with what. It is never called here.</summary>
[DebuggerDisplay("{Callback.Method}, {State}")]
internal sealed class PendingItemView(in WorkItem item)
{
    /// <summary>The function; for tasks and operations the one that begins them, which are the state.</summary>
    public Delegate? Callback { get; } = item.Callback;

    /// <summary>What it is called with.</summary>
    public object? State { get; } = item.State;

    /// <summary>The group it belongs to, if any.</summary>
    public WorkGroup? Group { get; } = ItemContext.GroupOf(item.Context);
}
