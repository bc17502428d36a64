using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// What surrounds an item, where neither <see langword="null"/>, for nothing, nor an <see cref="ExecutionContext"/>, to be
/// restored before the call, says enough. To add a kind of item is to add a class.
/// </summary>
internal abstract class ItemContext
{
    /// <summary>The options that the item was queued with, or <see langword="null"/>.</summary>
    public virtual WorkView? Options => null;

    /// <summary>Whether a stop by token may drop the item. What continues accepted work runs elsewhere instead.</summary>
    public virtual bool MayBeDropped => true;

    /// <summary>The group that the item belongs to, if any.</summary>
    public virtual WorkGroup? Group => Options?.Group;

    /// <summary>Whether the item, which came from outside, continues work that has started: see <see cref="ContinuingItem"/>.</summary>
    public virtual bool Continues(Action<object?>? callback, object? state, NativeTaskScheduler scheduler) => false;

    /// <summary>Runs the item on a worker, whose thread has the default context.</summary>
    public abstract void Run(Worker worker, Action<object?> callback, object? state);

    /// <summary>Runs the item after its pool or loop has stopped, on a thread that resets its own contexts.</summary>
    public abstract void RunElsewhere(Action<object?> callback, object? state);

    /// <summary>Reports to the counting thread that the item will not run.</summary>
    public virtual void Drop(NativeThreadPool pool)
    {
    }

    /// <inheritdoc cref="MayBeDropped"/>
    public static bool AllowsDrop(object? context) => context is not ItemContext own || own.MayBeDropped;

    /// <inheritdoc cref="Group"/>
    public static WorkGroup? GroupOf(object? context) => (context as ItemContext)?.Group;

    /// <inheritdoc cref="Options"/>
    public static WorkView? OptionsOf(object? context) => (context as ItemContext)?.Options;

    /// <summary>Whether the item has a priority: it lies in no queue of a worker.</summary>
    public static bool HasPriority(object? context) => OptionsOf(context) is { Priority: not WorkPriority.Normal };

    /// <inheritdoc cref="Drop(NativeThreadPool)"/>
    public static void Drop(object? context, NativeThreadPool pool) => (context as ItemContext)?.Drop(pool);

    /// <inheritdoc cref="RunElsewhere(Action{object?}, object?)"/>
    public static void RunElsewhere(object? context, Action<object?> callback, object? state)
    {
        if (context is ItemContext own)
        {
            own.RunElsewhere(callback, state);
            return;
        }

        if (context is not null)
        {
            ExecutionContext.Restore(Unsafe.As<ExecutionContext>(context));
        }

        callback(state);
    }
}

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
            // Handled: as on its own thread, the item has completed.
        }
    }
}
