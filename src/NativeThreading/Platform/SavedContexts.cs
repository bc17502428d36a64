namespace NativeThreading.Platform;

/// <summary>The contexts of a thread when it started to run foreign code inline, to be restored on the same thread.</summary>
internal readonly struct SavedContexts(ExecutionContext context, SynchronizationContext? synchronizationContext, bool isFlowSuppressed)
{
    /// <summary>The execution context that flows from there, or <see langword="null"/> if the flow was suppressed.</summary>
    public ExecutionContext? Flowing => isFlowSuppressed ? null : context;

    /// <summary>Takes the contexts of the calling thread. The caller must set the contexts to run in next, because the flow is no longer
    /// suppressed.</summary>
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

    /// <summary>Restores the contexts, including the suppression, so that the code that suppressed the flow can restore it.</summary>
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

/// <summary>The execution context in which no value was ever set. The runtime has one object for it without a public name, but a new thread captures
/// it.</summary>
internal static class DefaultContext
{
    private static ExecutionContext? s_value;

    /// <summary>The default context, or <see langword="null"/> before the first worker of the process has run.</summary>
    public static ExecutionContext? Value => s_value;

    /// <summary>The default context, also before the first worker of the process has run: a new thread then captures it.</summary>
    public static ExecutionContext OfAnyThread() => s_value ?? OfFreshThread();

    /// <summary>Called by each worker on its new thread.</summary>
    public static void Publish(ExecutionContext context) => s_value = context;

    /// <summary>The context that a thread which is not a worker stores for an item. Before the first worker has run, the default
    /// context is carried like any other, which costs a little and changes nothing.</summary>
    public static ExecutionContext? Flowing()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        return context == s_value ? null : context;
    }

    private static ExecutionContext OfFreshThread()
    {
        Thread fresh = ThreadStarter.Start(static () => Publish(ExecutionContext.Capture()!), "nth-context", maxStackSize: 0);
        Interruption.HoldDuring(fresh, static fresh => fresh.Join());
        return s_value!;
    }
}
