using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Tasks;

namespace NativeThreading.Testing;

/// <summary>Tasks as items of a <see cref="ManualThreadPool"/>.</summary>
internal sealed class ManualTaskScheduler(ManualThreadPool pool, ManualQueue queue, ManualWorkView? view) : TaskScheduler
{
    private readonly ConditionalWeakTable<Task, ManualWorkItem> _queued = [];

    [ThreadStatic]
    private static Task? t_runsHere;

    [ThreadStatic]
    private static ManualWorkItem? t_entering;

    public override int MaximumConcurrencyLevel => 1;

    /// <summary>The item that will run a task.</summary>
    public void Execute(Task task) => TryExecuteTask(task);

    /// <summary>Starts a task that holds a permit, as this item; <see langword="false"/>: it was cancelled.</summary>
    public bool TryStart(Task task, ManualWorkItem item)
    {
        t_entering = item;
        try
        {
            if (!task.IsCompleted)
            {
                task.Start(this);
            }

            return item.Node.List is not null;
        }
        catch (InvalidOperationException) when (task.IsCompleted)
        {
            return false;
        }
        finally
        {
            t_entering = null;
        }
    }

    /// <summary>Runs a task that was not started, on whichever thread calls; nothing if it was cancelled.</summary>
    public void RunHere(Task task)
    {
        Task? outer = t_runsHere;
        t_runsHere = task;
        try
        {
            if (!task.IsCompleted)
            {
                task.Start(this); // RunSynchronously would queue it where the stack is short, and wait for itself (T136)
            }
        }
        catch (InvalidOperationException) when (task.IsCompleted)
        {
            // Cancelled in this very moment.
        }
        finally
        {
            t_runsHere = outer;
        }
    }

    protected override void QueueTask(Task task)
    {
        if (ReferenceEquals(t_runsHere, task))
        {
            TryExecuteTask(task);
            return;
        }

        // A task has its own context; its item adds none.
        ManualWorkItem item = t_entering ?? New();
        _queued.Add(task, item);
        queue.Add(item);
        if (t_entering is null)
        {
            pool.SettleIfStopped();
        }

        ManualWorkItem New() => view is null ? NewItem(task) : view.In(() => NewItem(task));
    }

    private ManualWorkItem NewItem(Task task)
    {
        Action<object?> execute = task => Execute((Task)task!);
        bool startsWork = !QueuedTask.Continues(task);
        ObservedCall? observed = startsWork && pool.Observation is { IsOn: true } observation ? ObservedCall.OfRaw(observation, execute, task, view) : null;
        observed?.NoteQueued();
        return new ManualWorkItem(execute, task, context: null) { IsContinuation = true, IsHeldByPause = startsWork && pool.IsOutside, Observed = observed };
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (ManualThreadPool.Current != pool || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            return false;
        }

        if (taskWasPreviouslyQueued && TryDequeue(task, out ManualWorkItem? item) && item.Observed is { } observed)
        {
            observed.CallRaw();
            return true;
        }

        return TryExecuteTask(task);
    }

    protected override bool TryDequeue(Task task) => TryDequeue(task, out _);

    private bool TryDequeue(Task task, [NotNullWhen(true)] out ManualWorkItem? item)
    {
        if (!_queued.TryGetValue(task, out item) || !queue.Remove(item))
        {
            return false;
        }

        item.Registration.Unregister();
        return true;
    }

    protected override IEnumerable<Task> GetScheduledTasks() =>
        [.. _queued.Where(entry => entry.Value.Node.List is not null).Select(static entry => entry.Key)];
}
