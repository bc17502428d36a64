using System.Diagnostics;

namespace NativeThreading.Platform;

/// <summary>Completes tasks that threads may block on, from any thread, and waits for them (T152). The framework wakes a blocked thread through a
/// lock. If the completing thread has a leftover interrupt, the wait for that lock throws: the task is complete, its waiters sleep indefinitely, and
/// the exception surfaces in unrelated code of the completing thread.</summary>
/// <remarks>So this class puts a leftover interrupt aside. An interrupt that another thread sends at exactly that moment still costs a wake-up;
/// therefore a thread that waits here polls once a second.</remarks>
internal static class Completion
{
    /// <summary>Re-poll interval for blocked waiters. It has no measurable cost: a poll takes microseconds.</summary>
    private static readonly TimeSpan s_pollInterval = TimeSpan.FromSeconds(1);

    /// <summary>As <see cref="TaskCompletionSource.TrySetResult()"/>.</summary>
    public static void Set(TaskCompletionSource source) => Uninterrupted(source, static source => source.TrySetResult());

    /// <summary>As <see cref="TaskCompletionSource{TResult}.TrySetResult(TResult)"/>.</summary>
    public static void Set<TResult>(TaskCompletionSource<TResult> source, TResult result) =>
        Uninterrupted((source, result), static call => call.source.TrySetResult(call.result));

    /// <summary>As <see cref="TaskCompletionSource.TrySetException(Exception)"/>.</summary>
    public static void Fail(TaskCompletionSource source, Exception exception) =>
        Uninterrupted((source, exception), static call => call.source.TrySetException(call.exception));

    /// <summary>As <see cref="TaskCompletionSource.TrySetCanceled(CancellationToken)"/>.</summary>
    public static void Cancel(TaskCompletionSource source, CancellationToken cancellationToken) =>
        Uninterrupted((source, cancellationToken), static call => call.source.TrySetCanceled(call.cancellationToken));

    /// <summary>Blocks until a task has completed, failed or been cancelled, or the time is up; <see cref="TimeSpan.MaxValue"/> is no limit.</summary>
    /// <remarks>It polls only the task. Polling the state that the task represents would hide a missing wake-up.</remarks>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted.</exception>
    public static void Wait(Task task, TimeSpan most)
    {
        long started = Stopwatch.GetTimestamp();
        try
        {
            for (TimeSpan left = most; left > TimeSpan.Zero && !task.Wait(left < s_pollInterval ? WholeMilliseconds(left) : s_pollInterval);)
            {
                left = most == TimeSpan.MaxValue ? most : most - Stopwatch.GetElapsedTime(started);
            }
        }
        catch (AggregateException)
        {
            // The task has failed or was cancelled. The caller checks which.
        }
    }

    /// <summary>Blocks until a task has completed. Throws its exception if it has failed or was cancelled.</summary>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted.</exception>
    public static void Wait(Task task)
    {
        Wait(task, TimeSpan.MaxValue);
        task.GetAwaiter().GetResult();
    }

    /// <summary>Rounded up. The framework rounds down: it would not wait at all for the last fraction of a millisecond, and the caller would call it again
    /// until that is over.</summary>
    private static TimeSpan WholeMilliseconds(TimeSpan left) => TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));

    private static void Uninterrupted<TArgument>(TArgument argument, Func<TArgument, bool> complete)
    {
        bool interrupted = Interruption.Drop();
        try
        {
            complete(argument);
        }
        catch (ThreadInterruptedException)
        {
            interrupted = true; // another thread has interrupted this one just now
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt(); // the interrupt stays pending
        }
    }
}
