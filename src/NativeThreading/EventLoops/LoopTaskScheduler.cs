using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops;

/// <summary>Runs tasks on a loop, long-running ones too: what is given to a loop relies on its thread.</summary>
internal sealed class LoopTaskScheduler : TaskScheduler
{
    private static readonly ItemPredicate<Task> s_isTask = static (in WorkItem item, Task task) => ReferenceEquals(item.State, task);
    private static readonly ItemPredicate<Action<object?>> s_isOurs =
        static (in WorkItem item, Action<object?> execute) => ReferenceEquals(item.Callback, execute);

    private readonly EventLoop _loop;
    private readonly Action<object?> _execute;

    public LoopTaskScheduler(EventLoop loop)
    {
        _loop = loop;
        _execute = task => TryExecuteTask(Unsafe.As<Task>(task!));
    }

    public override int MaximumConcurrencyLevel => 1;

    protected override void QueueTask(Task task) => _loop.PostContinuation(_execute, task);

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (!_loop.IsRunningHere || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            return false;
        }

        if (taskWasPreviouslyQueued)
        {
            TryDequeue(task);
        }

        return TryExecuteTask(task);
    }

    protected override bool TryDequeue(Task task)
    {
        WorkItem item = default;
        return _loop.Posted.TryTakeMatching(s_isTask, task, ref item);
    }

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        var states = new List<object?>();
        _loop.Posted.CopyStates(s_isOurs, _execute, states);
        return states.ConvertAll(static state => (Task)state!);
    }
}
