using System.Threading.Tasks.Sources;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>How the schedulers recognize their tasks in the queues: the task is an item's state.</summary>
internal static class QueuedTask
{
    /// <summary>Matches the item that runs one task. It does not match a raw item that has the task as its state.</summary>
    public static readonly ItemPredicate<(Action<object?> Execute, Task Task)> Is =
        static (in WorkItem item, (Action<object?> Execute, Task Task) queued) =>
            ReferenceEquals(item.State, queued.Task) && ReferenceEquals(item.Callback, queued.Execute);

    /// <summary>
    /// Whether a task that came from outside continues another one. The framework queues an await and a yield as a new task. Its state is the rest of
    /// the method (an action or the state machine), or the awaited object, for example an operation of a channel. <c>ContinueWith</c> is a task of a
    /// separate type.
    /// </summary>
    public static bool Continues(Task? task)
    {
        if (task is null || EntryFunction.Is(task))
        {
            return false;
        }

        Type type = task.GetType();
        bool isStarted = type == typeof(Task) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Task<>));
        return !isStarted || task.AsyncState is Action or Task or IValueTaskSource;
    }

    /// <summary>The tasks of a scheduler in a snapshot of items, without those that were cancelled. The words of an item in the snapshot may belong to two items.</summary>
    /// <param name="items">The items.</param>
    /// <param name="execute">The callback of the scheduler's items.</param>
    public static IEnumerable<Task> In(IEnumerable<WorkItem> items, Action<object?> execute) =>
        items.Where(item => ReferenceEquals(item.Callback, execute)).Select(static item => item.State).OfType<Task>().Where(static task => !task.IsCanceled);
}
