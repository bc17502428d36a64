namespace NativeThreading.Tests.Support;

/// <summary>
/// Runs a body on n threads of its own, all released at once when the last has arrived. They begin in the default
/// execution context, without what the test runner keeps in its own.
/// </summary>
internal static class StartGate
{
    /// <summary>Returns when all threads have ended; rethrows what the first failed one threw.</summary>
    public static void Run(int threads, Action<int> body)
    {
        using var gate = new Barrier(threads);
        var failures = new Exception?[threads];
        var started = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int index = i;
            started[i] = new Thread(() =>
            {
                try
                {
                    gate.SignalAndWait(Deadline.Time);
                    body(index);
                }
                catch (Exception exception)
                {
                    failures[index] = exception;
                }
            })
            {
                IsBackground = true,
                Name = $"gate-{index}",
            };
            started[i].UnsafeStart();
        }

        foreach (Thread thread in started)
        {
            Deadline.Join(thread, thread.Name!);
        }

        if (Array.Find(failures, static failure => failure is not null) is { } first)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(first);
        }
    }
}
