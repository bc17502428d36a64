using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary><c>pool.WhenAll(...)</c>: the calls of <see cref="Task.WhenAll(Task[])"/>, without a detour over the built-in pool.</summary>
/// <example>
/// <code>
/// int[] lengths = await pool.WhenAll(pool.Run(() =&gt; 1), pool.Run(() =&gt; 2));
/// </code>
/// </example>
public static class NativeThreadPoolWhenAllExtensions
{
    /// <summary>Completes when all tasks have completed.</summary>
    /// <param name="pool">Where it completes if it must not do so in a call that completes a task.</param>
    /// <param name="tasks">The tasks, of whatever pool; copied.</param>
    /// <returns>
    /// Ends as <see cref="Task.WhenAll(Task[])"/> does: with the failures of all tasks, in the order of the tasks, or as the first one
    /// that was cancelled. It completes in the call that completes the last task, or on this pool where one of the tasks was made with
    /// <see cref="TaskCreationOptions.RunContinuationsAsynchronously"/>.
    /// </returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">One of <paramref name="tasks"/> is null.</exception>
    public static Task WhenAll(this NativeThreadPool pool, params Task[] tasks)
    {
        ArgumentNullException.ThrowIfNull(tasks);
        return Count(pool, [.. tasks]);
    }

    /// <inheritdoc cref="WhenAll(NativeThreadPool, Task[])"/>
    public static Task WhenAll(this NativeThreadPool pool, params ReadOnlySpan<Task> tasks) => Count(pool, tasks.ToArray());

    /// <inheritdoc cref="WhenAll(NativeThreadPool, Task[])"/>
    public static Task WhenAll(this NativeThreadPool pool, IEnumerable<Task> tasks)
    {
        ArgumentNullException.ThrowIfNull(tasks);
        return Count(pool, [.. tasks]);
    }

    /// <summary>Completes when all tasks have completed, with their results in the order of the tasks.</summary>
    /// <typeparam name="TResult">The type of the results.</typeparam>
    /// <inheritdoc cref="WhenAll(NativeThreadPool, Task[])"/>
    public static Task<TResult[]> WhenAll<TResult>(this NativeThreadPool pool, params Task<TResult>[] tasks)
    {
        ArgumentNullException.ThrowIfNull(tasks);
        return Count<TResult>(pool, [.. tasks]);
    }

    /// <inheritdoc cref="WhenAll{TResult}(NativeThreadPool, Task{TResult}[])"/>
    public static Task<TResult[]> WhenAll<TResult>(this NativeThreadPool pool, params ReadOnlySpan<Task<TResult>> tasks) =>
        Count<TResult>(pool, tasks.ToArray());

    /// <inheritdoc cref="WhenAll{TResult}(NativeThreadPool, Task{TResult}[])"/>
    public static Task<TResult[]> WhenAll<TResult>(this NativeThreadPool pool, IEnumerable<Task<TResult>> tasks)
    {
        ArgumentNullException.ThrowIfNull(tasks);
        return Count<TResult>(pool, [.. tasks]);
    }

    private static Task Count(NativeThreadPool pool, Task[] tasks)
    {
        Check(pool, tasks);
        return tasks.Length == 0 ? Task.CompletedTask : new PlainTaskCountdown(pool, tasks).Start();
    }

    private static Task<TResult[]> Count<TResult>(NativeThreadPool pool, Task<TResult>[] tasks)
    {
        Check(pool, tasks);
        return tasks.Length == 0 ? Task.FromResult<TResult[]>([]) : new ResultTaskCountdown<TResult>(pool, tasks).Start();
    }

    private static void Check(NativeThreadPool pool, Task[] tasks)
    {
        ArgumentNullException.ThrowIfNull(pool);
        if (Array.IndexOf(tasks, null) >= 0)
        {
            throw new ArgumentException("One of the tasks is null.", nameof(tasks));
        }
    }
}
