using NativeThreading.Platform;

namespace NativeThreading.Keyed;

/// <summary>A callback of <c>Queue</c>, or of a post. It has no caller that waits for it.</summary>
/// <remarks>If the callback throws, an item of the pool throws the exception again, so the pool handles it like that of any callback, and the
/// line continues.</remarks>
internal sealed class CallbackItem<TState>(KeyedTarget target, Action<TState> callback, TState state)
    : KeyedItem(DefaultContext.Flowing())
{
    public override Delegate Subject => callback;

    public override bool Refuse(Exception reason) => true;

    protected override Task? Call()
    {
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
