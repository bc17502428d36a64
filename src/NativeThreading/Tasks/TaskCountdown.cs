using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// <c>WhenAll</c>: counts tasks as they complete, and completes its promise as the framework's call does. The framework's call completes through the
/// built-in pool if it must not run continuations inline.
/// </summary>
/// <param name="pool">The pool on which this one completes then.</param>
/// <param name="tasks">The tasks, in an array that does not change.</param>
internal abstract class TaskCountdown<TResult>(NativeThreadPool pool, Task[] tasks) : CompletionContext
{
    private readonly TaskCompletionSource<TResult> _promise = new();
    private TaskCreationOptions _options;
    private int _open;

    protected override NativeThreadPool Pool => pool;

    public Task<TResult> Start()
    {
        foreach (Task task in tasks)
        {
            _options |= task.CreationOptions;
        }

        _open = tasks.Length + 1; // one for this call: the promise does not complete while the call still observes
        Observe(tasks);
        if (Interlocked.Decrement(ref _open) == 0)
        {
            Complete();
        }

        return _promise.Task;
    }

    protected override void TasksCompleted(int count)
    {
        if (Interlocked.Add(ref _open, -count) == 0)
        {
            CompleteHere(_options);
        }
    }

    /// <summary>Every failure counts, in the order of the tasks. Without a failure the first cancellation counts, and otherwise the
    /// results.</summary>
    protected override void Complete()
    {
        List<Exception>? exceptions = null;
        Task? cancelled = null;
        foreach (Task task in tasks)
        {
            if (task.IsFaulted)
            {
                (exceptions ??= []).AddRange(task.Exception!.InnerExceptions);
            }
            else if (task.IsCanceled)
            {
                cancelled ??= task;
            }
        }

        if (exceptions is not null)
        {
            _promise.SetException(exceptions);
        }
        else if (cancelled is not null)
        {
            _promise.SetFrom(cancelled);
        }
        else
        {
            _promise.SetResult(ResultOf(tasks));
        }
    }

    protected abstract TResult ResultOf(Task[] completed);
}

/// <summary>Of tasks without results.</summary>
internal sealed class PlainTaskCountdown(NativeThreadPool pool, Task[] tasks) : TaskCountdown<NoResult>(pool, tasks)
{
    protected override NoResult ResultOf(Task[] completed) => default;
}

/// <summary>Of tasks with results, which keep the order of the tasks.</summary>
internal sealed class ResultTaskCountdown<TResult>(NativeThreadPool pool, Task[] tasks) : TaskCountdown<TResult[]>(pool, tasks)
{
    protected override TResult[] ResultOf(Task[] completed)
    {
        var results = new TResult[completed.Length];
        for (int i = 0; i < results.Length; i++)
        {
            results[i] = Unsafe.As<Task<TResult>>(completed[i]).Result;
        }

        return results;
    }
}
