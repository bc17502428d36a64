using NativeThreading.Threads;

namespace NativeThreading.Admission;

/// <summary>Running on the thread that queues, because the queue is full.</summary>
internal static class CallerRun
{
    /// <summary>
    /// Runs a raw item as it would run on the pool: in its own context, and in no task. Its caller finds its own contexts
    /// again. What it throws and the pool's handler does not want is the caller's.
    /// </summary>
    /// <remarks>
    /// Without <see cref="ExecutionContext.Run"/>, which throws an exception again on each level: in a deep stack of items that
    /// run on their callers each of these throws would cost as much as the stack is deep.
    /// </remarks>
    public static void Run(NativeThreadPool pool, Action<object?> callback, object? state, bool flow)
    {
        ThrowUnlessStackIsLeft(pool);
        ExecutionContext unflowed = DefaultContext.OfAnyThread();
        SavedContexts callers = SavedContexts.Take();
        try
        {
            SetContexts((flow ? callers.Flowing : null) ?? unflowed);
            if (OutsideTask.IsInside)
            {
                CallOutsideTask(pool, callback, state);
            }
            else
            {
                Call(pool, callback, state);
            }
        }
        finally
        {
            callers.Restore();
        }
    }

    /// <summary>Runs a task under the pool's scheduler, or an operation with a context of the pool's: its later awaits resume there.</summary>
    public static void Run(AdmittedRun run)
    {
        ExecutionContext unflowed = DefaultContext.OfAnyThread();
        SavedContexts callers = SavedContexts.Take();
        try
        {
            SetContexts(callers.Flowing ?? unflowed); // a task brings its own context, but none where flow was suppressed
            run.RunHere();
        }
        finally
        {
            callers.Restore();
        }
    }

    /// <summary>An item that queues an item that queues an item would end the process without this.</summary>
    public static void ThrowUnlessStackIsLeft(NativeThreadPool pool)
    {
        if (!StackSpace.IsLeft())
        {
            throw pool.Admission!.FullError("the calling thread has no stack left to run the item at once.");
        }
    }

    private static void SetContexts(ExecutionContext context)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        ExecutionContext.Restore(context);
    }

    private static void CallOutsideTask(NativeThreadPool pool, Action<object?> callback, object? state)
    {
        if (!OutsideTask.TryRun(() => Call(pool, callback, state)))
        {
            Call(pool, callback, state);
        }
    }

    private static void Call(NativeThreadPool pool, Action<object?> callback, object? state)
    {
        try
        {
            callback(state);
        }
        catch (Exception exception) when (pool.Handles(exception))
        {
            // As on a worker: handled, the item has ended.
        }
    }
}
