namespace NativeThreading.Limits;

/// <summary>One whose caller gets the very task that runs.</summary>
/// <typeparam name="TDelegate">What runs.</typeparam>
/// <typeparam name="TTask">The kind of task.</typeparam>
internal abstract class LimitedTask<TDelegate, TTask>(NativeThreadPool pool, TDelegate function, CancellationToken cancellationToken)
    : LimitedRun<TDelegate, TTask>(pool, function, cancellationToken)
    where TDelegate : Delegate
    where TTask : Task
{
    private TTask? _task;

    public override void RunHere() => Pool.Scheduler.RunHere(_task!);

    protected sealed override TTask CreateTask() => _task = NewTask();

    protected abstract TTask NewTask();

    protected override void Enqueue() => Start(Pool.Scheduler);

    protected override void BeginElsewhere() => Start(TaskScheduler.Default);

    private void Start(TaskScheduler scheduler)
    {
        if (_task!.IsCompleted)
        {
            return; // cancelled
        }

        try
        {
            _task.Start(scheduler);
        }
        catch (InvalidOperationException) when (_task.IsCompleted)
        {
            // Cancelled in this very moment.
        }
    }
}

internal sealed class LimitedAction(NativeThreadPool pool, Action action, CancellationToken cancellationToken)
    : LimitedTask<Action, Task>(pool, action, cancellationToken)
{
    public override Task Failed(Exception exception) => Task.FromException(exception);

    public override Task Cancelled() => Task.FromCanceled(CancellationToken);

    protected override Task NewTask() =>
        new(static run => ((LimitedAction)run!).Take()(), this, CancellationToken, TaskCreationOptions.DenyChildAttach);
}

internal sealed class LimitedFunction<TResult>(NativeThreadPool pool, Func<TResult> function, CancellationToken cancellationToken)
    : LimitedTask<Func<TResult>, Task<TResult>>(pool, function, cancellationToken)
{
    public override Task<TResult> Failed(Exception exception) => Task.FromException<TResult>(exception);

    public override Task<TResult> Cancelled() => Task.FromCanceled<TResult>(CancellationToken);

    protected override Task<TResult> NewTask() =>
        new(static run => ((LimitedFunction<TResult>)run!).Take()(), this, CancellationToken, TaskCreationOptions.DenyChildAttach);
}
