using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary>Runs tasks on a <see cref="NativeThreadPool"/>. <see cref="NativeThreadPool.Scheduler"/> returns it. All members may be called from any
/// thread.</summary>
/// <remarks>
/// A task that a worker of the pool starts goes into that worker's deque; with <see cref="TaskCreationOptions.PreferFairness"/>,
/// or from outside, into the global order. A <see cref="TaskCreationOptions.LongRunning"/> task gets its own thread, which
/// belongs to the pool. A thread of the pool that waits for any other task runs the task itself if it has not started. Awaits
/// inside a task of this scheduler resume on the pool; the page "Where code runs" of the documentation lists the exceptions.
/// </remarks>
/// <example>
/// <code>
/// Task task = Task.Factory.StartNew(() =&gt; Compute(), default, TaskCreationOptions.None, pool.Scheduler);
/// </code>
/// </example>
public sealed class NativeTaskScheduler : TaskScheduler
{
    [ThreadStatic]
    private static Task? t_runsHere;

    private readonly NativeThreadPool _pool;
    private readonly ContinuationContext? _context; // of its tasks, if they have options
    private readonly Action<object?> _execute;
    private readonly Func<Task, bool> _tryExecute;

    internal NativeTaskScheduler(NativeThreadPool pool, WorkView? options = null)
    {
        _pool = pool;
        _context = options is null ? null : new ContinuationContext(options);
        _execute = task => Execute(Unsafe.As<Task>(task!));
        _tryExecute = TryExecuteTask;
    }

    /// <summary>Gets the pool that runs the tasks of this scheduler.</summary>
    public NativeThreadPool Pool => _pool;

    /// <summary>Gets <see cref="int.MaxValue"/>: there is no limit, as with the built-in scheduler.</summary>
    /// <remarks>
    /// <see cref="Parallel"/> and <see cref="ConcurrentExclusiveSchedulerPair"/> silently lower their degree of parallelism to this number.
    /// <see cref="NativeThreadPool.MaxThreads"/> would be wrong for both: operations that await need no thread
    /// meanwhile, and workers that block are replaced.
    /// </remarks>
    public override int MaximumConcurrencyLevel => int.MaxValue;

    /// <summary>Whether an item's callback runs tasks of a scheduler of this pool: this one, or one with options.</summary>
    internal bool Executes(Action<object?>? callback) =>
        ReferenceEquals(callback, _execute) || (callback?.Target is NativeTaskScheduler other && other._pool == _pool && ReferenceEquals(callback, other._execute));

    /// <summary>
    /// Runs a task that was not started, on the calling thread; does nothing if it was cancelled. If the stack is short, the
    /// task is queued, as the framework would do, but not waited for (T136).
    /// </summary>
    internal void RunHere(Task task)
    {
        Task? outer = t_runsHere;
        t_runsHere = task;
        try
        {
            if (!task.IsCompleted)
            {
                if (StackSpace.IsLeft())
                {
                    task.RunSynchronously(this);
                }
                else
                {
                    task.Start(this);
                }
            }
        }
        catch (InvalidOperationException) when (task.IsCompleted)
        {
            // It was cancelled at this moment.
        }
        finally
        {
            t_runsHere = outer;
            if (task.IsCanceled)
            {
                _pool.CancelledItems.Forget(task); // its token was cancelled as it started: it was taken for one that occupies a slot
            }
        }
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task)
    {
        if ((task.CreationOptions & TaskCreationOptions.LongRunning) != 0)
        {
            QueueLongRunning(task);
            return;
        }

        _pool.EnqueueAlways(_execute, task, _context, preferLocal: (task.CreationOptions & TaskCreationOptions.PreferFairness) == 0);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Only on a thread of this pool, and only with stack to spare. A task that was queued for a thread of its own must not run
    /// inside the waiter's locks. A task that waits in another worker's queue is run all the same: the task itself
    /// guarantees that it runs once, and rejecting it would be a deadlock when all workers wait.
    /// </remarks>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (NativeThreadPool.Current != _pool || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            return ReferenceEquals(t_runsHere, task) && TryExecuteTask(task);
        }

        if (taskWasPreviouslyQueued)
        {
            if ((task.CreationOptions & TaskCreationOptions.LongRunning) != 0)
            {
                return false;
            }

            if (TryTakeBack(task))
            {
                Execute(task);
                return true;
            }
        }

        return TryExecuteTask(task);
    }

    /// <inheritdoc/>
    /// <remarks>The framework asks when the token of a task is cancelled. The task ends at once, and its item stays in its slot until its turn
    /// comes. So cancelling takes the same time however many items wait.</remarks>
    protected override bool TryDequeue(Task task)
    {
        if ((task.CreationOptions & TaskCreationOptions.LongRunning) != 0)
        {
            TryExecuteTask(task); // it waits in no queue
        }
        else
        {
            _pool.CancelledItems.Cancel(task, _tryExecute);
        }

        return false; // nothing is left for the framework to do: the task has been cancelled, or has started
    }

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => QueuedTask.In(_pool.PendingItems, _execute);

    /// <summary>The turn of a task has come.</summary>
    internal void Execute(Task task)
    {
        if (!TryExecuteTask(task) || task.IsCanceled)
        {
            _pool.CancelledItems.Forget(task);
        }
    }

    /// <summary>Takes a task out of the calling worker's own queues or the injector queue.</summary>
    private bool TryTakeBack(Task task)
    {
        WorkItem item = default;
        Worker? worker = Worker.Current;
        return (worker is not null && worker.Pool == _pool && worker.Queues.TryTakeMatching(QueuedTask.Is, (_execute, task), ref item))
            || _pool.Injector.TryTakeMatching(QueuedTask.Is, (_execute, task), ref item);
    }

    private void QueueLongRunning(Task task)
    {
        if (_pool.IsStopped)
        {
            _pool.Leftovers.StartElsewhere(task, _execute);
        }
        else
        {
            _pool.LongRunning.Start(task, _execute);
        }
    }
}
