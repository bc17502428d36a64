using NativeThreading.Async;
using NativeThreading.Workers;

namespace NativeThreading.Limits;

/// <summary>One that is an operation: it begins as every operation does, and leaves its place as its first act.</summary>
/// <typeparam name="TTask">What the function returns.</typeparam>
internal abstract class LimitedOperationOf<TTask>(NativeThreadPool pool, Func<TTask> function, CancellationToken cancellationToken)
    : LimitedRun<Func<TTask>, TTask>(pool, function, cancellationToken)
    where TTask : Task
{
    private Operation<TTask>? _operation;
    private Resumption? _context;

    public override void RunHere() => _context!.RunElsewhere(Operation<TTask>.Begin, _operation);

    protected sealed override TTask CreateTask()
    {
        _context = Pool.ResumptionIn(DefaultContext.Flowing());
        _operation = NewOperation(() => Take()());
        return Unwrap(_operation.Task);
    }

    protected abstract Operation<TTask> NewOperation(Func<TTask> function);

    protected abstract TTask Unwrap(Task<TTask> task);

    protected override void Enqueue()
    {
        if (!_operation!.Task.IsCompleted)
        {
            Pool.EnqueueResumption(Operation<TTask>.Begin, _operation, _context!, preferLocal: true);
        }
    }

    protected override void BeginElsewhere() =>
        ThreadPool.UnsafeQueueUserWorkItem(static operation => Operation<TTask>.Begin(operation), _operation!, preferLocal: false);
}

internal sealed class LimitedOperation(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
    : LimitedOperationOf<Task>(pool, function, cancellationToken)
{
    public override Task Failed(Exception exception) => Task.FromException(exception);

    public override Task Cancelled() => Task.FromCanceled(CancellationToken);

    protected override Operation<Task> NewOperation(Func<Task> function) => new Operation(function, CancellationToken);

    protected override Task Unwrap(Task<Task> task) => task.Unwrap();
}

internal sealed class LimitedOperation<TResult>(NativeThreadPool pool, Func<Task<TResult>> function, CancellationToken cancellationToken)
    : LimitedOperationOf<Task<TResult>>(pool, function, cancellationToken)
{
    public override Task<TResult> Failed(Exception exception) => Task.FromException<TResult>(exception);

    public override Task<TResult> Cancelled() => Task.FromCanceled<TResult>(CancellationToken);

    protected override Operation<Task<TResult>> NewOperation(Func<Task<TResult>> function) =>
        new ResultOperation<TResult>(function, CancellationToken);

    protected override Task<TResult> Unwrap(Task<Task<TResult>> task) => task.Unwrap();
}
