using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.Tests.Support;

/// <summary>Waits that end: after <see cref="Time"/> each fails with a message that says what did not happen.</summary>
internal static class Deadline
{
    /// <summary>Far beyond what a busy machine needs; reached only by a hang.</summary>
    public static readonly TimeSpan Time = TimeSpan.FromSeconds(30);

    public static void Wait(ManualResetEventSlim signal, [CallerArgumentExpression(nameof(signal))] string what = "") =>
        Check(signal.Wait(Time), what);

    public static void Wait(CountdownEvent signal, [CallerArgumentExpression(nameof(signal))] string what = "") =>
        Check(signal.Wait(Time), $"{what} ({signal.CurrentCount} of {signal.InitialCount} missing)");

    public static void Wait(SemaphoreSlim semaphore, [CallerArgumentExpression(nameof(semaphore))] string what = "") =>
        Check(semaphore.Wait(Time), what);

    public static void Join(Thread thread, [CallerArgumentExpression(nameof(thread))] string what = "") =>
        Check(thread.Join(Time), $"end of thread {what}");

    /// <summary>Blocks for the task and rethrows its exception as it was thrown.</summary>
    public static void Wait(Task task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        Check(Task.WaitAny([task], Time) == 0, what);
        task.GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="Wait(Task, string)"/>
    public static T Result<T>(Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        Wait((Task)task, what);
        return task.Result;
    }

    /// <summary>Awaits the task where the caller runs.</summary>
    public static async Task For(Task task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Task.WhenAny(task, Task.Delay(Time)).ConfigureAwait(true);
        Check(task.IsCompleted, what);
        await task.ConfigureAwait(true);
    }

    /// <inheritdoc cref="For(Task, string)"/>
    public static async Task<T> For<T>(Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await For((Task)task, what).ConfigureAwait(true);
        return await task.ConfigureAwait(true);
    }

    /// <summary>Polls for a condition that nothing signals.</summary>
    public static void Until(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        long started = Stopwatch.GetTimestamp();
        for (var spinner = new SpinWait(); !condition(); spinner.SpinOnce())
        {
            Check(Stopwatch.GetElapsedTime(started) < Time, what);
        }
    }

    /// <summary>As the other, with what is to be said at the end of the time.</summary>
    public static void Until(Func<bool> condition, Func<string> what)
    {
        try
        {
            Until(condition, "");
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{exception.Message}{what()}", exception);
        }
    }

    private static void Check(bool happened, string what)
    {
        if (!happened)
        {
            throw new TimeoutException($"Did not happen within {Time.TotalSeconds} s: {what}");
        }
    }
}
