using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>Counts the items of a pool or a loop whose calls were cancelled while they waited. Such an item stays in its slot until its turn comes,
/// and then does nothing. To remove it would require a search of the queues.</summary>
/// <remarks>
/// <para>An operation records itself which thread has taken its function: the cancelling thread counts the item, and the thread that finds the
/// function gone subtracts it. A task of the framework does not reveal whether it ran before it was cancelled. So the cancelling thread notes the
/// task here before it tries to cancel it, and the thread that reaches the slot searches only for a task that it has not run.</para>
/// <para>Any thread may call. Model: native/models/cancelled_items.pml.</para>
/// </remarks>
internal sealed class CancelledItems
{
    private const int KeptCapacity = 1024;

    private readonly UninterruptedLock _lock = new();
    private HashSet<Task> _tasks = []; // under the lock
    private long _count;

    /// <summary>The number of cancelled items that still occupy a slot.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>An operation was cancelled before its function started.</summary>
    public void Add() => Interlocked.Increment(ref _count);

    /// <summary>The item of a cancelled operation has left its slot, or never got one.</summary>
    public void Remove() => Interlocked.Decrement(ref _count);

    /// <summary>Cancels a queued task whose token was cancelled, unless it has started.</summary>
    /// <param name="task">The task.</param>
    /// <param name="execute">A function that executes a task of the scheduler. If the token of the task was cancelled, it does not run the task: in
    /// one interlocked step either this call claims the task, or the worker that starts it.</param>
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
        execute(task); // or a worker claims it now: it finds the token cancelled, too, and checks this set when the slot's turn comes
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
/// Tasks that were cancelled by an exception, which they rethrow. Only the builders of async methods create them: a task that its token cancels does
/// not keep the exception.
/// </summary>
internal static class CancelledTask
{
    /// <summary>The message of <see cref="StopError"/>.</summary>
    public const string StopMessage = "The token of the shutdown was cancelled before the work began, so the work was dropped.";

    /// <summary>The exception of a call whose function had not started when the token of a shutdown stopped its pool or loop.</summary>
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
