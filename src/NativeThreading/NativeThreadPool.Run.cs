namespace NativeThreading;

/// <summary>Running delegates as tasks of this pool.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>Runs an action as a task on this pool.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public Task Run(Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        BeforeEntry();
        return Factory.StartNew(action, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    /// <summary>Runs a function as a task on this pool.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return Factory.StartNew(function, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>Completes when the task that <paramref name="function"/> returned has completed.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return RunTracked(function, cancellationToken).Unwrap();
    }

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>Completes when the task that <paramref name="function"/> returned has completed.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        BeforeEntry();
        return RunTracked(function, cancellationToken).Unwrap();
    }

    /// <summary>Continues the async method on this pool: <c>await pool.SwitchTo();</c></summary>
    /// <returns>
    /// To be awaited at once. What follows runs as a task of <see cref="Scheduler"/>, so that later awaits stay on the
    /// pool too. Completes synchronously where the caller is such a task already.
    /// </returns>
    public SwitchToAwaitable SwitchTo() => new(this);

    private Task<TTask> RunTracked<TTask>(Func<TTask> function, CancellationToken cancellationToken)
        where TTask : Task
    {
        OperationBegan(); // before it can end
        try
        {
            Task<TTask> beginning = Factory.StartNew(function, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
            beginning.ContinueWith(
                static (begun, pool) =>
                    ((NativeThreadPool)pool!).OperationEndsWith(begun.IsCompletedSuccessfully ? begun.Result : null),
                this,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
            return beginning;
        }
        catch
        {
            OperationEnded();
            throw;
        }
    }

    private void OperationEndsWith(Task? rest)
    {
        if (rest is null || rest.IsCompleted)
        {
            OperationEnded();
            return;
        }

        rest.ContinueWith(
            static (_, pool) => ((NativeThreadPool)pool!).OperationEnded(),
            this,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    // A scheduler cannot tell an entry call from a continuation, so what concerns only entry calls happens here.
    private void BeforeEntry()
    {
        if (Current != this)
        {
            ThrowIfShutDown();
            if (ThreadCount == 0)
            {
                StartFirstWorker();
            }
        }
    }
}
