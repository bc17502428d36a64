namespace NativeThreading.Platform;

/// <summary>What a thread had set when it began to run foreign code in place; to be restored on the same thread.</summary>
internal readonly struct SavedContexts(ExecutionContext context, SynchronizationContext? synchronizationContext, bool isFlowSuppressed)
{
    /// <summary>What flows from there, or <see langword="null"/> where the flow was suppressed.</summary>
    public ExecutionContext? Flowing => isFlowSuppressed ? null : context;

    /// <summary>Takes the contexts of the calling thread; those it runs in are to be set next, for flow is not suppressed any more.</summary>
    public static SavedContexts Take()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        bool isFlowSuppressed = context is null;
        if (isFlowSuppressed)
        {
            // A context whose flow is suppressed can be neither captured nor restored.
            ExecutionContext.RestoreFlow();
            context = ExecutionContext.Capture();
        }

        return new SavedContexts(context!, SynchronizationContext.Current, isFlowSuppressed);
    }

    /// <summary>Restores them, the suppression included: the code that started it can undo it.</summary>
    public void Restore()
    {
        SynchronizationContext.SetSynchronizationContext(synchronizationContext);
        ExecutionContext.Restore(context);
        if (isFlowSuppressed)
        {
            ExecutionContext.SuppressFlow();
        }
    }
}

/// <summary>The execution context in which nothing was ever set. The runtime has one object for it and does not name it, but a
/// fresh thread captures it.</summary>
internal static class DefaultContext
{
    private static ExecutionContext? s_value;

    /// <summary>The default context, or <see langword="null"/> before the first worker of the process has run.</summary>
    public static ExecutionContext? Value => s_value;

    /// <summary>The default context, also before the first worker of the process has run: a fresh thread tells it then.</summary>
    public static ExecutionContext OfAnyThread() => s_value ?? OfFreshThread();

    /// <summary>Called by each worker on its fresh thread.</summary>
    public static void Publish(ExecutionContext context) => s_value = context;

    /// <summary>What a thread that is not a worker stores as an item's context. Before the first worker has run, the default
    /// context is carried like any other, which costs a little and changes nothing.</summary>
    public static ExecutionContext? Flowing()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        return context == s_value ? null : context;
    }

    private static ExecutionContext OfFreshThread()
    {
        ThreadStarter.Start(static () => Publish(ExecutionContext.Capture()!), "nth-context", maxStackSize: 0).Join();
        return s_value!;
    }
}
