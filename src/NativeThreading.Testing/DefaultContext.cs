namespace NativeThreading.Testing;

/// <summary>The context in which nothing was ever set: that of a fresh thread, and of a worker between two items.</summary>
internal static class DefaultContext
{
    public static ExecutionContext Value { get; } = Capture();

    private static ExecutionContext Capture()
    {
        ExecutionContext? context = null;
        var thread = new Thread(() => context = ExecutionContext.Capture()) { IsBackground = true };
        thread.UnsafeStart();
        thread.Join();
        return context!;
    }
}
