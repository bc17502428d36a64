using NativeThreading.Tasks;

namespace NativeThreading.Limits;

internal sealed class LimitedAction(NativeThreadPool pool, Action action, CancellationToken cancellationToken)
    : LimitedRun<Action, Task>(pool, action, cancellationToken)
{
    public override Task Failed(Exception exception) => Task.FromException(exception);

    public override Task Cancelled() => Task.FromCanceled(CancellationToken);

    protected override Task CreateTask()
    {
        var task = new Task(static run => ((LimitedAction)run!).Take()(), this, CancellationToken, TaskCreationOptions.DenyChildAttach);
        SetTask(task);
        return task;
    }
}

internal sealed class LimitedFunction<TResult>(NativeThreadPool pool, Func<TResult> function, CancellationToken cancellationToken)
    : LimitedRun<Func<TResult>, Task<TResult>>(pool, function, cancellationToken)
{
    public override Task<TResult> Failed(Exception exception) => Task.FromException<TResult>(exception);

    public override Task<TResult> Cancelled() => Task.FromCanceled<TResult>(CancellationToken);

    protected override Task<TResult> CreateTask()
    {
        var task = new Task<TResult>(
            static run => ((LimitedFunction<TResult>)run!).Take()(), this, CancellationToken, TaskCreationOptions.DenyChildAttach);
        SetTask(task);
        return task;
    }
}

internal sealed class LimitedOperation(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
    : LimitedRun<Func<Task>, Task>(pool, function, cancellationToken)
{
    public override Task Failed(Exception exception) => Task.FromException(exception);

    public override Task Cancelled() => Task.FromCanceled(CancellationToken);

    protected override Task CreateTask()
    {
        var task = new Task<Task>(
            static run => NativeThreadPool.Begin(((LimitedOperation)run!).Take(), CancelledTask.By),
            this,
            CancellationToken,
            TaskCreationOptions.DenyChildAttach);
        SetTask(task);
        return task.Unwrap();
    }
}

internal sealed class LimitedOperation<TResult>(NativeThreadPool pool, Func<Task<TResult>> function, CancellationToken cancellationToken)
    : LimitedRun<Func<Task<TResult>>, Task<TResult>>(pool, function, cancellationToken)
{
    public override Task<TResult> Failed(Exception exception) => Task.FromException<TResult>(exception);

    public override Task<TResult> Cancelled() => Task.FromCanceled<TResult>(CancellationToken);

    protected override Task<TResult> CreateTask()
    {
        var task = new Task<Task<TResult>>(
            static run => NativeThreadPool.Begin(((LimitedOperation<TResult>)run!).Take(), CancelledTask.By<TResult>),
            this,
            CancellationToken,
            TaskCreationOptions.DenyChildAttach);
        SetTask(task);
        return task.Unwrap();
    }
}
