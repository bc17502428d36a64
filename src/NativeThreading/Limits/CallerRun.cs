using NativeThreading.Platform;

namespace NativeThreading.Limits;

/// <summary>Runs items on the threads that queue them, because the queue is full.</summary>
internal static class CallerRun
{
    /// <summary>Runs a raw item as it would run on the pool: in its own context, and in no task. Then the caller's contexts are
    /// restored. An exception that the pool's handler does not handle goes to the caller.</summary>
    /// <remarks><see cref="ExecutionContext.Run"/> is not used. It throws each exception again, and where items run on their callers in a
    /// deep stack each throw costs as much as the stack is deep.</remarks>
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

    /// <summary>Items that queue items that queue items would otherwise fill the stack and end the process.</summary>
    public static void ThrowUnlessStackIsLeft(NativeThreadPool pool)
    {
        if (!StackSpace.IsLeft())
        {
            throw pool.Admission!.FullError("The calling thread does not have enough stack left to run the item.");
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
            // The item has completed, as on a worker.
        }
    }
}
