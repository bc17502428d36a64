using NativeThreading.Diagnostics;
using NativeThreading.Limits;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>An item that outlived its pool, run by a thread of the runtime's pool, which resets its own context.</summary>
internal static class OrphanedItem
{
    /// <param name="item">What to run.</param>
    /// <param name="handler">Of the exceptions that items do not handle; where it outlived its pool or loop, an item is still theirs.</param>
    public static void Run(in WorkItem item, Func<Exception, bool>? handler)
    {
        try
        {
            Run(item);
        }
        catch (Exception exception) when (handler?.Invoke(exception) == true)
        {
            // Handled: as on its own thread, the item has ended.
        }
    }

    private static void Run(in WorkItem item)
    {
        object? surrounding = AdmittedContext.Leave(TimedContext.Unwrap(item.Context));
        if (surrounding is Resumption resumption)
        {
            resumption.RunHere(item.Callback!, item.State);
            return;
        }

        WorkGroup? group = surrounding as WorkGroup;
        var context = surrounding as ExecutionContext;
        if (surrounding is GroupContext both)
        {
            group = both.Group;
            context = both.Context;
        }

        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        if (group is null)
        {
            item.Callback!(item.State);
            return;
        }

        try
        {
            item.Callback!(item.State);
        }
        catch (Exception exception)
        {
            group.Failed(exception);
        }

        group.Completed(1);
    }
}
