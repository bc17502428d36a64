using System.Diagnostics;

namespace NativeThreading.Waiting;

/// <summary>
/// Completes tasks for which threads may block, on whatever thread it is, and waits for them (T152). The framework wakes who blocks through a
/// lock. The wait for that lock throws a leftover interrupt: the task is complete then, its waiters sleep for ever, and the exception meets
/// whoever has completed it, in the middle of something else.
/// </summary>
/// <remarks>So a leftover is put aside meanwhile. An interrupt that comes from another thread at that very moment still costs a wake;
/// a thread that waits here looks by itself, once a second.</remarks>
internal static class Completion
{
    /// <summary>Who blocks looks again after so long. No row shows it: a look takes microseconds.</summary>
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);

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

    /// <summary>Blocks until a task has ended, in whatever way, or the time is over; <see cref="TimeSpan.MaxValue"/> is no limit.</summary>
    /// <remarks>A look is at the task alone. A waiter that looked at what the task stands for would hide a wake that nobody has sent.</remarks>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted.</exception>
    public static void Wait(Task task, TimeSpan most)
    {
        long started = Stopwatch.GetTimestamp();
        try
        {
            for (TimeSpan left = most; left > TimeSpan.Zero && !task.Wait(left < s_look ? left : s_look);)
            {
                left = most == TimeSpan.MaxValue ? most : most - Stopwatch.GetElapsedTime(started);
            }
        }
        catch (AggregateException)
        {
            // It has ended. The caller asks how.
        }
    }

    /// <summary>Blocks until a task has ended, and returns or throws what it does.</summary>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted.</exception>
    public static void Wait(Task task)
    {
        Wait(task, TimeSpan.MaxValue);
        task.GetAwaiter().GetResult();
    }

    private static void Uninterrupted<TArgument>(TArgument argument, Func<TArgument, bool> complete)
    {
        bool interrupted = Interruption.Drop();
        try
        {
            complete(argument);
        }
        catch (ThreadInterruptedException)
        {
            interrupted = true; // from outside, just now
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt(); // it stays pending
        }
    }
}
