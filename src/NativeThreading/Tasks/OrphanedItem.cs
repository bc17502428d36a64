using NativeThreading.Diagnostics;
using NativeThreading.Limits;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>An item that outlived its pool, run by a thread of the runtime's pool, which resets its own context.</summary>
internal static class OrphanedItem
{
    public static void Run(WorkItem item)
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
