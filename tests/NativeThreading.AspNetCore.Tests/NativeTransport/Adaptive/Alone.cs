namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Completes on the runtime's pool as the answer of a database does: some time behind what that thread has done before.</summary>
internal static class Alone
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMicroseconds(100);

    public static Task CompleteAsync()
    {
        var source = new TaskCompletionSource(); // goes on in place
        ThreadPool.UnsafeQueueUserWorkItem(
            static source =>
            {
                long begun = System.Diagnostics.Stopwatch.GetTimestamp();
                while (System.Diagnostics.Stopwatch.GetElapsedTime(begun) < s_pause)
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
