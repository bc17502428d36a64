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

    /// <summary>Matches the tasks of the scheduler whose items call this.</summary>
    public static readonly ItemPredicate<Action<object?>> RunBy =
        static (in WorkItem item, Action<object?> execute) => ReferenceEquals(item.Callback, execute);

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

    /// <summary>The tasks of items that <see cref="RunBy"/> matched, without those that were cancelled.</summary>
    public static IEnumerable<Task> Of(List<object?> states) => states.ConvertAll(static state => (Task)state!).FindAll(static task => !task.IsCanceled);
}
