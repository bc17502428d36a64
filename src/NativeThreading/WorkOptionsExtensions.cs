namespace NativeThreading;

/// <summary>Calls with <see cref="WorkOptions"/>: short for <see cref="IWorkScheduler.WithOptions"/> and the call. All may be made from any thread.</summary>
/// <remarks>They are extensions, so <see langword="default"/> as the last argument still means a <see cref="CancellationToken"/>.</remarks>
/// <example>
/// <code>
/// await pool.Run(() =&gt; Compute(), new WorkOptions { Priority = WorkPriority.High });
/// </code>
/// </example>
public static class WorkOptionsExtensions
{
    /// <summary>Queues a callback with options; the execution context flows to it.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="callBack">The callback to run. A worker calls it once, unless its time is up or its token is cancelled before.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="options">The options.</param>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="scheduler"/> or <paramref name="callBack"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException">The queue of the pool is full, and its mode does not let the call wait or run the item.</exception>
    public static bool QueueUserWorkItem(this IWorkScheduler scheduler, WaitCallback callBack, object? state, WorkOptions options) =>
        With(scheduler, options).QueueUserWorkItem(callBack, state);

    /// <summary>Runs an action as a task, with options.</summary>
    /// <param name="scheduler">The pool.</param>
    /// <param name="action">The action to run.</param>
    /// <param name="options">The options.</param>
    /// <returns>A task with the outcome. It is cancelled if the time is up, or the token is cancelled, before the action starts.</returns>
    /// <inheritdoc cref="QueueUserWorkItem" path="/exception"/>
    public static Task Run(this IWorkScheduler scheduler, Action action, WorkOptions options) => With(scheduler, options).Run(action);

    /// <summary>Runs a function as a task, with options.</summary>
    /// <inheritdoc cref="Run(IWorkScheduler, Action, WorkOptions)"/>
    /// <param name="scheduler">The pool.</param>
    /// <param name="function">The function to run.</param>
    /// <param name="options">The options.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public static Task<TResult> Run<TResult>(this IWorkScheduler scheduler, Func<TResult> function, WorkOptions options) => With(scheduler, options).Run(function);

    /// <summary>Runs an async function with options; its awaits resume with the same name and priority.</summary>
    /// <inheritdoc cref="Run{TResult}(IWorkScheduler, Func{TResult}, WorkOptions)"/>
    public static Task Run(this IWorkScheduler scheduler, Func<Task> function, WorkOptions options) => With(scheduler, options).Run(function);

    /// <inheritdoc cref="Run(IWorkScheduler, Func{Task}, WorkOptions)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public static Task<TResult> Run<TResult>(this IWorkScheduler scheduler, Func<Task<TResult>> function, WorkOptions options) =>
        With(scheduler, options).Run(function);

    /// <summary>As <see cref="Run(IWorkScheduler, Action, WorkOptions)"/>, but never blocks, and stores the exceptions of a full queue and of a shutdown in
    /// the task.</summary>
    /// <inheritdoc cref="Run(IWorkScheduler, Action, WorkOptions)"/>
    public static Task RunAsync(this IWorkScheduler scheduler, Action action, WorkOptions options) => With(scheduler, options).RunAsync(action);

    /// <summary>As <see cref="Run{TResult}(IWorkScheduler, Func{TResult}, WorkOptions)"/>, but never blocks, and stores the exceptions of a full queue and of a shutdown in
    /// the task.</summary>
    /// <inheritdoc cref="Run{TResult}(IWorkScheduler, Func{TResult}, WorkOptions)"/>
    public static Task<TResult> RunAsync<TResult>(this IWorkScheduler scheduler, Func<TResult> function, WorkOptions options) =>
        With(scheduler, options).RunAsync(function);

    /// <summary>As <see cref="Run(IWorkScheduler, Func{Task}, WorkOptions)"/>, but never blocks, and stores the exceptions of a full queue and of a shutdown in
    /// the task.</summary>
    /// <inheritdoc cref="Run(IWorkScheduler, Func{Task}, WorkOptions)"/>
    public static Task RunAsync(this IWorkScheduler scheduler, Func<Task> function, WorkOptions options) => With(scheduler, options).RunAsync(function);

    /// <inheritdoc cref="RunAsync(IWorkScheduler, Func{Task}, WorkOptions)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public static Task<TResult> RunAsync<TResult>(this IWorkScheduler scheduler, Func<Task<TResult>> function, WorkOptions options) =>
        With(scheduler, options).RunAsync(function);

    private static IWorkScheduler With(IWorkScheduler scheduler, WorkOptions options)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return scheduler.WithOptions(options);
    }
}
