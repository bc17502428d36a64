namespace NativeThreading.Limits;

/// <summary>A <see cref="LimitedRun"/> with its delegate and the kind of task that its caller gets.</summary>
/// <typeparam name="TDelegate">What runs.</typeparam>
/// <typeparam name="TTask">What the caller gets.</typeparam>
internal abstract class LimitedRun<TDelegate, TTask>(NativeThreadPool pool, TDelegate function, CancellationToken cancellationToken)
    : LimitedRun(pool, cancellationToken)
    where TDelegate : Delegate
    where TTask : Task
{
    private TDelegate? _function = function;

    /// <summary>Creates what the caller gets; nothing has been queued.</summary>
    public TTask Create()
    {
        Register();
        return CreateTask();
    }

    /// <summary>A task that has failed.</summary>
    public abstract TTask Failed(Exception exception);

    /// <summary>A task that was cancelled.</summary>
    public abstract TTask Cancelled();

    protected abstract TTask CreateTask();

    /// <summary>It begins, and keeps nothing alive from now on but what it returns.</summary>
    protected TDelegate Take()
    {
        Begin();
        TDelegate function = _function!;
        _function = null;
        return function;
    }
}
