namespace NativeThreading.Platform;

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
