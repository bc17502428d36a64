using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops.Turns;

/// <summary>Runs tasks on a loop. Long-running ones as well: what is given to a loop relies on its thread.</summary>
internal sealed class LoopTaskScheduler : TaskScheduler
{
    private readonly EventLoop _loop;
    private readonly Action<object?> _execute;
    private readonly Func<Task, bool> _tryExecute;

    public LoopTaskScheduler(EventLoop loop)
    {
        _loop = loop;
        _execute = task => Execute(Unsafe.As<Task>(task!));
        _tryExecute = TryExecuteTask;
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
            WorkItem item = default;
            if (_loop.Queue.Callbacks.TryTakeMatching(QueuedTask.Is, (_execute, task), ref item))
            {
                Execute(task);
                return true;
            }
        }

        return TryExecuteTask(task);
    }

    /// <summary>As that of <see cref="NativeTaskScheduler"/>: the task ends, and its callback stays in its slot until its turn comes.</summary>
    protected override bool TryDequeue(Task task)
    {
        _loop.CancelledCallbacks.Cancel(task, _tryExecute);
        return false;
    }

    protected override IEnumerable<Task> GetScheduledTasks() => QueuedTask.In(_loop.Queue.Callbacks.PendingItems(), _execute);

    private void Execute(Task task)
    {
        if (!TryExecuteTask(task) || task.IsCanceled)
        {
            _loop.CancelledCallbacks.Forget(task);
        }
    }
}
