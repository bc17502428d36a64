namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Completes on the built-in pool as the answer of a database does: some time after the previous work of that thread.</summary>
internal static class Alone
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMicroseconds(100);

    public static Task CompleteAsync()
    {
        var source = new TaskCompletionSource(); // continues in place
        ThreadPool.UnsafeQueueUserWorkItem(
            static source =>
            {
                long started = System.Diagnostics.Stopwatch.GetTimestamp();
                while (System.Diagnostics.Stopwatch.GetElapsedTime(started) < s_pause)
                {
                    Thread.SpinWait(10);
                }

                source.SetResult();
            },
            source,
            preferLocal: false);
        return source.Task;
    }
}
