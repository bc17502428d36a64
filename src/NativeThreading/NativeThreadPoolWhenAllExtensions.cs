using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary><c>pool.WhenAll(...)</c>: the calls of <see cref="Task.WhenAll(Task[])"/>, without a detour over the built-in pool. All may be made from any
/// thread.</summary>
/// <example>
/// <code>
/// int[] lengths = await pool.WhenAll(pool.Run(() =&gt; 1), pool.Run(() =&gt; 2));
/// </code>
/// </example>
public static class NativeThreadPoolWhenAllExtensions
{
    /// <summary>Creates a task that completes when all tasks have completed.</summary>
    /// <param name="pool">The pool on which the task completes if it must not complete inside the call that completes a task.</param>
    /// <param name="tasks">The tasks, of any pool. They are copied.</param>
    /// <returns>
    /// A task with the outcome of <see cref="Task.WhenAll(Task[])"/>: the exceptions of all failed tasks, in the order of the tasks; or cancelled like
    /// the first cancelled task. It completes in the call that completes the last task. If one of the tasks was created with
    /// <see cref="TaskCreationOptions.RunContinuationsAsynchronously"/>, it completes on this pool.
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

    /// <summary>Creates a task that completes when all tasks have completed, with their results in the order of the tasks.</summary>
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
