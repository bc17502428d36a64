using System.Runtime.CompilerServices;
using NativeThreading.Workers;

namespace NativeThreading.Limits;

/// <summary>Running on the thread that queues, because the queue is full.</summary>
internal static class CallerRun
{
    /// <summary>
    /// Runs a raw item in the context it would have had on the pool; its caller finds its own contexts again. What it
    /// throws and the pool's handler does not want is the caller's.
    /// </summary>
    public static void Run(NativeThreadPool pool, Action<object?> callback, object? state, bool flow)
    {
        ThrowUnlessStackIsLeft(pool);
        ExecutionContext? callers = ExecutionContext.Capture();
        ExecutionContext? context = (flow ? callers : null) ?? DefaultContext.Value ?? callers;
        try
        {
            if (callers is null && context is not null)
            {
                ExecutionContext.Run(context, _ => RunWithoutSynchronizationContext(callback, state), null); // flow is suppressed
            }
            else
            {
                RunIn(context, callers, callback, state);
            }
        }
        catch (Exception exception) when (pool.Handles(exception))
        {
            // As on a worker: handled, the item has ended.
        }
    }

    /// <summary>Runs a task under the pool's scheduler, which its later awaits resume on.</summary>
    public static void Run(NativeThreadPool pool, LimitedRun run) =>
        RunWithoutSynchronizationContext(static run => ((LimitedRun)run!).RunHere(), run);

    /// <summary>An item that queues an item that queues an item would end the process without this.</summary>
    public static void ThrowUnlessStackIsLeft(NativeThreadPool pool)
    {
        if (!IsStackLeft())
        {
            throw pool.QueueFullError("the calling thread has no stack left to run the item at once.");
        }
    }

    /// <summary>
    /// With a margin: the framework asks again a few frames deeper before it runs a task in place, and would queue it and
    /// block for it instead.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    internal static unsafe bool IsStackLeft()
    {
        byte* margin = stackalloc byte[16 * 1024];
        Volatile.Write(ref *margin, 0); // or it would not be allocated
        return RuntimeHelpers.TryEnsureSufficientExecutionStack();
    }

    /// <summary>
    /// As <see cref="ExecutionContext.Run"/>, which throws an exception again on each level: in a deep stack of items that
    /// run on their callers each of these throws would cost as much as the stack is deep.
    /// </summary>
    private static void RunIn(ExecutionContext? context, ExecutionContext? callers, Action<object?> callback, object? state)
    {
        try
        {
            if (context is not null && context != callers)
            {
                ExecutionContext.Restore(context);
            }

            RunWithoutSynchronizationContext(callback, state);
        }
        finally
        {
            if (callers is not null)
            {
                ExecutionContext.Restore(callers);
            }
        }
    }

    private static void RunWithoutSynchronizationContext(Action<object?> callback, object? state)
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            callback(state);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }
}
