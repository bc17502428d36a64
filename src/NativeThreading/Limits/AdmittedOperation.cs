using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Limits;

/// <summary>An admitted call that is an operation. It starts as every operation does.</summary>
/// <typeparam name="TResult">As that of <see cref="Operation{TResult}"/>.</typeparam>
internal sealed class AdmittedOperation<TResult> : AdmittedRun
{
    private readonly Resumption _context;
    private readonly LimitedFunction? _limited;
    private readonly Operation<TResult> _operation;

    public AdmittedOperation(NativeThreadPool pool, Func<Task> function, WorkView? options, CancellationToken cancellationToken)
        : base(pool, function, cancellationToken)
    {
        ExecutionContext? flowed = DefaultContext.Flowing();
        _context = pool.ResumptionIn(flowed, options);
        Func<Task> limited = pool.Limited(() => Take<Func<Task>>()(), function, flowed, options);
        _limited = limited.Target as LimitedFunction;
        _operation = Operation<TResult>.Of(pool, limited, cancellationToken);
    }

    public Task<TResult> Outcome => _operation.Task;

    public override ItemContext GrantedContext => _context;

    /// <summary>The caller's tasks are none of the operation's: its scheduler is not, nor do children attach to them.</summary>
    public override void RunHere()
    {
        if (!OutsideTask.IsInside || !OutsideTask.TryRun(BeginOnCaller))
        {
            BeginOnCaller();
        }
    }

    public override void NeverQueued() => Pool.CancelledItems.Remove(); // the operation counts each cancellation

    /// <inheritdoc/>
    public override bool TryAbandon(CancellationToken stopToken) => _operation.TryAbandon(stopToken);

    protected override void BeginGranted() => Operation<TResult>.Begin(_operation);

    protected override void Enqueue()
    {
        if (_operation.Task.IsCompleted)
        {
            NeverQueued();
        }
        else
        {
            Pool.EnqueueAlways(Operation<TResult>.Begin, _operation, _context, preferLocal: true);
        }
    }

    protected override void BeginElsewhere() => ThreadPool.UnsafeQueueUserWorkItem(Operation<TResult>.Begin, _operation, preferLocal: false);

    private void BeginOnCaller()
    {
        _limited?.RunsOnCaller();
        _context.RunElsewhere(Operation<TResult>.Begin, _operation);
    }
}
