using NativeThreading.Async;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading.Admission;

/// <summary>A call of <c>Run</c> with an async function. It begins like every operation.</summary>
/// <typeparam name="TTask">What the function returns.</typeparam>
internal sealed class AdmittedOperation<TTask> : AdmittedRun
    where TTask : Task
{
    private readonly Resumption _context;
    private readonly Operation<TTask> _operation;

    public AdmittedOperation(
        NativeThreadPool pool,
        Func<TTask> function,
        Func<Func<TTask>, CancellationToken, Operation<TTask>> create,
        CancellationToken cancellationToken,
        out Task<TTask> first)
        : base(pool, function, cancellationToken)
    {
        _context = pool.ResumptionIn(DefaultContext.Flowing());
        _operation = create(() => Take<Func<TTask>>()(), cancellationToken);
        first = _operation.Task;
    }

    public override void RunHere() => _context.RunElsewhere(Operation<TTask>.Begin, _operation);

    protected override void Enqueue()
    {
        if (!_operation.Task.IsCompleted)
        {
            Pool.EnqueueResumption(Operation<TTask>.Begin, _operation, _context, preferLocal: true);
        }
    }

    protected override void BeginElsewhere() => ThreadPool.UnsafeQueueUserWorkItem(Operation<TTask>.Begin, _operation, preferLocal: false);
}
