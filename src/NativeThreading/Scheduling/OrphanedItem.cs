using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>An item that outlived its pool, run by a thread of the built-in pool, which resets its own context.</summary>
internal static class OrphanedItem
{
    /// <param name="item">What to run.</param>
    /// <param name="handler">Of the exceptions that items do not handle; where it outlived its pool or loop, an item is still theirs.</param>
    public static void Run(in WorkItem item, Func<Exception, bool>? handler)
    {
        try
        {
            ItemContext.RunElsewhere(item.Context, item.Callback!, item.State);
        }
        catch (Exception exception) when (handler?.Invoke(exception) == true)
        {
            // Handled: as on its own thread, the item has ended.
        }
    }
}
