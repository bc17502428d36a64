using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>Counts the items of a pool or a loop whose calls were cancelled while they waited. Such an item stays in its slot until its turn
/// comes, and does nothing then. To take it out would mean to search the queues.</summary>
/// <remarks>
/// <para>An operation knows by itself who has taken its function: the canceller counts the item, and the thread that finds the function
/// gone counts it off. A task of the framework does not tell whether it ran before it was cancelled. So its canceller notes it here, before
/// it tries to cancel it, and the thread that reaches its slot looks only for a task that it has not run.</para>
/// <para>Any thread may call. Model: native/models/cancelled_items.pml.</para>
/// </remarks>
internal sealed class CancelledItems
{
    private const int KeptCapacity = 1024;

    private readonly UninterruptedLock _lock = new();
    private HashSet<Task> _tasks = []; // under the lock
    private long _count;

    /// <summary>Cancelled items that still occupy a slot.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>An operation was cancelled before its function began.</summary>
    public void Add() => Interlocked.Increment(ref _count);

    /// <summary>The item of a cancelled operation has left its slot, or never got one.</summary>
    public void Remove() => Interlocked.Decrement(ref _count);

    /// <summary>Cancels a queued task whose token was cancelled, unless it has started.</summary>
    /// <param name="task">The task.</param>
    /// <param name="execute">Executes a task of the scheduler. Of a task whose token was cancelled it runs nothing: in one interlocked step
    /// either this call claims the task, or the worker that begins it.</param>
    public void Cancel(Task task, Func<Task, bool> execute)
    {
        using (_lock.EnterScope())
        {
            if (task.Status != TaskStatus.WaitingToRun)
            {
                return; // it has started, and its slot may be free already
            }

            _tasks.Add(task);
            Interlocked.Increment(ref _count);
        }

        Chaos.Point("CancelledItems.Cancel, noted");
        execute(task); // or a worker claims it now: that finds the token cancelled, too, and looks here when the slot's turn has come
    }

    /// <summary>The slot of a cancelled task is free, or the task turned out to run.</summary>
    public void Forget(Task task)
    {
        Chaos.Point("CancelledItems.Forget");
        using var held = _lock.EnterScope();
        if (!_tasks.Remove(task))
        {
            return;
        }

        Interlocked.Decrement(ref _count);
        if (_tasks.Count == 0 && _tasks.EnsureCapacity(0) > KeptCapacity)
        {
            _tasks = [];
        }
    }
}

/// <summary>
/// Tasks that were cancelled by an exception, which they throw again. Only what builds async methods makes them; by its
/// token alone a task says that it was cancelled, but no more by what.
/// </summary>
internal static class CancelledTask
{
    /// <summary>The message of <see cref="StopError"/>.</summary>
    public const string StopMessage = "The token of the shutdown was cancelled before the work began, so the work was dropped.";

    /// <summary>How a call ends whose function had not started when the token of a shutdown stopped its pool or loop.</summary>
    public static TaskCanceledException StopError(CancellationToken stopToken) =>
        new(StopMessage, innerException: null, stopToken);

    public static Task By(OperationCanceledException exception)
    {
        var builder = AsyncTaskMethodBuilder.Create();
        builder.SetException(exception);
        return builder.Task;
    }

    public static Task<TResult> By<TResult>(OperationCanceledException exception)
    {
        var builder = AsyncTaskMethodBuilder<TResult>.Create();
        builder.SetException(exception);
        return builder.Task;
    }
}
