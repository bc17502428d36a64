using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops;

/// <summary>Runs tasks on a loop. Long-running ones as well: what is given to a loop relies on its thread.</summary>
internal sealed class LoopTaskScheduler : TaskScheduler
{
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
        if (!_loop.Lifecycle.IsRunningHere || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
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
        return _loop.Queue.Callbacks.TryTakeMatching(QueuedTask.Is, (_execute, task), ref item);
    }

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        var states = new List<object?>();
        _loop.Queue.Callbacks.CopyStates(QueuedTask.RunBy, _execute, states);
        return QueuedTask.Of(states);
    }
}
