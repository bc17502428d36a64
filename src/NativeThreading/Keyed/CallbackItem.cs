using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Keyed;

/// <summary>A callback of <c>Queue</c>. It has no caller that waits for it. It waits as three words of the line, and becomes an object when a turn takes it.</summary>
/// <remarks>If the callback throws, an item of the pool throws the exception again, so the pool handles it like that of any callback, and the
/// line continues.</remarks>
internal sealed class CallbackItem() : KeyedItem(null)
{
    private WorkItem _work;

    public override Delegate? Subject => _work.State is IItemSubject value ? value.Subject : _work.Callback;

    public override bool Refuse(Exception reason)
    {
        _work = default;
        return true;
    }

    /// <summary>The words of a callback that is to be pushed.</summary>
    public static WorkItem WorkOf<TState>(Action<TState> callback, TState state) => new()
    {
        Callback = WorkItem.CallbackOf(callback),
        State = WorkItem.StateOf(callback, state),
        Context = DefaultContext.Flowing(),
    };

    /// <summary>Becomes the item of a callback that a turn has taken, or that starts a turn.</summary>
    public CallbackItem Of(in WorkItem work, KeyedLine line)
    {
        (_work, Context) = (work, work.Context as ExecutionContext);
        TryJoin(line);
        return this;
    }

    protected override Task? Call()
    {
        WorkItem work = _work;
        (_work, Context) = (default, null); // the line keeps this object
        try
        {
            work.Callback!(work.State);
        }
        catch (Exception exception)
        {
            Line!.Target.Throw(exception);
        }

        return null;
    }
}

/// <summary>A callback of a <see cref="SequencerContext"/>: the rest of an async method, as a rule. It is never dropped.</summary>
internal sealed class PostedItem(KeyedTarget target, SynchronizationContext context, SendOrPostCallback callback, object? state)
    : KeyedItem(state is Action or Task ? null : DefaultContext.Flowing()) // code that awaits carries its own context
{
    public override Delegate Subject => state as Action ?? (Delegate)callback;

    public override bool ContinuesWork => true;

    public override bool Refuse(Exception reason) => false;

    protected override Task? Call()
    {
        SynchronizationContext.SetSynchronizationContext(context);
        try
        {
            callback(state);
        }
        catch (Exception exception)
        {
            target.Throw(exception);
        }

        return null;
    }
}

/// <summary>A task of a <see cref="SequencerScheduler"/>. It is never dropped.</summary>
internal sealed class TaskItem(SequencerScheduler scheduler, Task task) : KeyedItem(null)
{
    public Task Task => task;

    public override Delegate? Subject => task.AsyncState as Delegate;

    public override bool ContinuesWork => true;

    public override bool Refuse(Exception reason) => false;

    protected override Task? Call()
    {
        SynchronizationContext.SetSynchronizationContext(null); // awaits of the task resume through its scheduler
        scheduler.Execute(task);
        return null;
    }
}
