namespace NativeThreading.Tests.Support;

/// <summary>
/// Runs a body on n new threads, all released at once when the last has arrived. The threads start in the default
/// execution context, without the test runner's context.
/// </summary>
internal static class StartGate
{
    /// <summary>
    /// A thread may take longer than <see cref="Deadline.Time"/>: its waits have that deadline and say what did not happen, and a busy machine
    /// gives its work a part of a processor. <see cref="HangWatchAttribute"/> allows a minute more.
    /// </summary>
    private static readonly TimeSpan s_longest = 4 * Deadline.Time;

    /// <summary>Returns when all threads have ended; rethrows the exception of the first thread that failed.</summary>
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

        Thread? hanging = Array.Find(started, static thread => !thread.Join(s_longest));
        if (Array.Find(failures, static failure => failure is not null) is { } first)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(first);
        }

        if (hanging is not null)
        {
            throw new TimeoutException($"Thread {hanging.Name} has not ended within {s_longest.TotalSeconds} s.");
        }
    }
}
