using NativeThreading.Platform;

namespace NativeThreading.Keyed;

/// <summary>A <see cref="Sequencer"/> as a scheduler of tasks. An await inside such a task ends its item, and the rest of the method is another
/// item.</summary>
internal sealed class SequencerScheduler(KeyedLine line) : TaskScheduler
{
    public override int MaximumConcurrencyLevel => 1;

    /// <summary>The turn of a task has come.</summary>
    public void Execute(Task task) => TryExecuteTask(task);

    protected override void QueueTask(Task task) => line.TryPush(new TaskItem(this, task).Work, KeyedEntry.Always);

    /// <summary>An item that waits for a task of its own sequencer runs the task itself.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        KeyedItem.RunsHere(line) && StackSpace.IsLeft() && TryExecuteTask(task);

    /// <summary>The framework calls this when the token of a task is cancelled. The task completes at once, and its item does nothing.</summary>
    protected override bool TryDequeue(Task task)
    {
        TryExecuteTask(task);
        return false;
    }

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        var tasks = new List<Task>();
        line.CopyTasks(tasks);
        return tasks;
    }
}

/// <summary>A <see cref="Sequencer"/> as a synchronization context. Each post is an item.</summary>
internal sealed class SequencerContext(KeyedLine line, TaskScheduler scheduler) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        line.TryPush(new PostedItem(line.Target, this, d, state).Work, KeyedEntry.Always);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (KeyedItem.RunsHere(line))
        {
            d(state);
            return;
        }

        Completion.Wait(Task.Factory.StartNew(
            () =>
            {
                SetSynchronizationContext(this);
                d(state);
            },
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            scheduler));
    }

    public override SynchronizationContext CreateCopy() => this;
}
