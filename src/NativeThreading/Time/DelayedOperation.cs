using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Time;

/// <summary>A call of <c>RunAfter</c>: an operation that becomes an item when it is due.</summary>
/// <remarks>Three may try to take the function: the item that starts it, the token of the call, and the shutdown. If the token takes it and
/// finds the operation not armed, the token counts a cancelled item. The thread that finds the function gone subtracts it: the item, the shutdown
/// that has disarmed the operation, or the call of <c>RunAfter</c> that has armed it too late.</remarks>
internal sealed class DelayedOperation<TResult> : CancellableOperation<TResult>, IDelayedWork
{
    private readonly Resumption _context;
    private readonly bool _endsWithDrain;
    private TimerSlot _slot;

    private DelayedOperation(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
        : base(pool, function, cancellationToken)
    {
        _context = pool.ResumptionIn(DefaultContext.Flowing());
        _endsWithDrain = NativeThreadPool.Current != pool;
    }

    ref TimerSlot ITimed.Slot => ref _slot;

    NativeThreadPool IDelayedWork.Pool => Pool;

    bool IDelayedWork.EndsWithDrain => _endsWithDrain;

    private bool IsTaken => ((IItemSubject)this).Subject is null;

    /// <param name="pool">The pool that runs the function.</param>
    /// <param name="delay">The time until the operation is due.</param>
    /// <param name="function">The function, which a worker calls.</param>
    /// <param name="cancellationToken">A token that cancels the operation until it starts.</param>
    public static Task<TResult> Start(NativeThreadPool pool, TimeSpan delay, Func<Task> function, CancellationToken cancellationToken)
    {
        var operation = new DelayedOperation<TResult>(pool, function, cancellationToken);
        bool wasCancelled = operation.IsTaken;
        if (!wasCancelled)
        {
            operation.Arm(delay);
        }

        if (operation.IsTaken && (wasCancelled || PoolTimers.Disarm(operation)))
        {
            pool.CancelledItems.Remove();
        }

        return operation.Task;
    }

    void ITimed.Fire() => Pool.EnqueueAlways(Begin, this, _context, preferLocal: false);

    bool IDelayedWork.EndByShutdown(CancellationToken? stopToken)
    {
        if (TakeFunction() is null)
        {
            return false;
        }

        Exception error = stopToken is { } token ? CancelledTask.StopError(token) : Pool.ShutDownError();
        IDelayedWork.Elsewhere(
            static end =>
            {
                if (end.Error is OperationCanceledException cancellation)
                {
                    end.Operation.SetCanceled(cancellation);
                }
                else
                {
                    end.Operation.SetException(end.Error);
                }
            },
            (Operation: this, Error: error));
        return stopToken is not null;
    }

    protected override bool TryLeave(Func<Task> function) => PoolTimers.Disarm(this);

    private void Arm(TimeSpan delay)
    {
        try
        {
            PoolTimers.Arm(this, delay);
        }
        catch
        {
            TakeFunction(); // the token has no effect any more
            throw;
        }

        Chaos.Point("DelayedOperation.Arm, armed");
        Pool.EndIfShutDown(this);
    }
}

/// <summary>A due function in a pool with a limited queue: an item that makes the call of <c>RunAsync</c>.</summary>
/// <param name="function">The user's function.</param>
/// <param name="run">The function that makes the call.</param>
internal sealed class DueCall<TDelegate>(TDelegate function, Func<TDelegate, Task> run) : IItemSubject
    where TDelegate : Delegate
{
    Delegate IItemSubject.Subject => function;

    bool IItemSubject.BeginsWork => true;

    public Task Run() => run(function);
}

/// <summary>Work that waits for its time, and that its pool ends when it shuts down.</summary>
internal interface IDelayedWork : ITimed
{
    /// <summary>The pool that will run the work.</summary>
    NativeThreadPool Pool { get; }

    /// <summary>Whether the work ends when the shutdown starts. Otherwise accepted work has created it, and it ends when the pool stops.</summary>
    bool EndsWithDrain { get; }

    /// <summary>Ends the work, which is no longer armed, because its pool shuts down. Its continuations run on the built-in pool, because any thread
    /// may be the caller.</summary>
    /// <param name="stopToken">The token that has stopped the pool, if one has.</param>
    /// <returns><see langword="true"/> if a call was cancelled here by the token.</returns>
    bool EndByShutdown(CancellationToken? stopToken);

    /// <summary>Runs the callback on the built-in pool.</summary>
    protected static void Elsewhere<TState>(Action<TState> complete, TState state) =>
        ThreadPool.UnsafeQueueUserWorkItem(complete, state, preferLocal: false);
}
