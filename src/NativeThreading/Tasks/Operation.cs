using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>
/// An operation of <c>Run</c>: the state of its first item, and the promise that its caller gets. The framework's <c>Unwrap</c> would need a task for
/// the first part and one for the outcome, and would complete both.
/// </summary>
/// <typeparam name="TResult">The type of the result of the task that the function returns; <see cref="NoResult"/> for a task without a
/// result.</typeparam>
internal class Operation<TResult> : TaskCompletionSource<TResult>, IItemSubject, IOperation
{
    /// <summary>The item's callback. It is a resumption, so its awaits resume on the pool.</summary>
    public static readonly Action<object?> Begin = static operation => Unsafe.As<Operation<TResult>>(operation!).BeginOrWait();

    private readonly NativeThreadPool _pool;
    private Func<Task>? _function; // until it starts; the operation may live longer

    protected Operation(NativeThreadPool pool, Func<Task> function)
    {
        _pool = pool;
        _function = function;
    }

    /// <inheritdoc/>
    Task IOperation.Task => Task;

    /// <inheritdoc/>
    Delegate? IItemSubject.Subject => Volatile.Read(ref _function);

    /// <inheritdoc/>
    bool IItemSubject.BeginsWork => true;

    protected NativeThreadPool Pool => _pool;

    /// <param name="pool">The pool that runs it.</param>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation until it starts. Its item then does nothing.</param>
    public static Operation<TResult> Of(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken) =>
        cancellationToken.CanBeCanceled
            ? new CancellableOperation<TResult>(pool, function, cancellationToken)
            : new Operation<TResult>(pool, function);

    /// <inheritdoc/>
    public bool TryAbandon(CancellationToken stopToken)
    {
        if (TakeFunction() is not { } function)
        {
            return false;
        }

        ((LimitedFunction.Inner(function) ?? function).Target as IEntryCall)?.ReleasePermit();
        this.SetCanceled(CancelledTask.StopError(stopToken));
        return true;
    }

    /// <summary>The function, or <see langword="null"/> if the operation was cancelled. The item then no longer counts as cancelled.</summary>
    protected virtual Func<Task>? TakeFunction()
    {
        Func<Task>? function = _function;
        _function = null;
        return function;
    }

    /// <summary>As <see cref="TakeFunction"/>, if several threads may try: one of them gets the function.</summary>
    protected Func<Task>? TakeFunctionOnce() => Interlocked.Exchange(ref _function, null);

    private void BeginOrWait()
    {
        if (_pool.OperationLimit is null || Volatile.Read(ref _function)?.Target is not LimitedFunction limited)
        {
            TryBegin();
        }
        else if (limited.TryEnter(this) && !TryBegin())
        {
            limited.Leave(); // cancelled meanwhile
        }
    }

    /// <inheritdoc/>
    public bool TryBegin()
    {
        if (TakeFunction() is not { } function)
        {
            return false;
        }

        BeginHere(function);
        return true;
    }

    private void BeginHere(Func<Task> function)
    {
        Task? rest;
        try
        {
            rest = function();
        }
        catch (OperationCanceledException exception)
        {
            this.SetCanceled(exception); // with any token, as with the framework's Run (T142)
            return;
        }
        catch (Exception exception)
        {
            SetException(exception);
            return;
        }

        if (rest is null)
        {
            SetCanceled(); // by no token, as there
        }
        else if (rest.IsCompleted)
        {
            SetFromRest(rest);
        }
        else
        {
            Follow(rest);
        }
    }

    /// <summary>
    /// Until now the operation was a queued item and then a running item, and both keep the pool from stopping. Only an operation that is still open
    /// when its first part has returned must be noted, before the item of that part completes.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Follow(Task rest)
    {
        _pool.NoteOpen(rest);
        new Follower(this, rest).Start();
    }

    private void SetFromRest(Task rest)
    {
        if (rest.IsCompletedSuccessfully)
        {
            SetResult(typeof(TResult) == typeof(NoResult) ? default! : Unsafe.As<Task<TResult>>(rest).Result);
        }
        else
        {
            this.SetFrom(rest);
        }
    }

    private sealed class Follower(Operation<TResult> operation, Task rest) : CompletionContext
    {
        protected override NativeThreadPool Pool => operation._pool;

        public void Start() => Observe(rest);

        protected override void TasksCompleted(int count) => CompleteHere(rest.CreationOptions);

        protected override void Complete() => operation.SetFromRest(rest);
    }
}

/// <summary>An operation, whatever the type of its result.</summary>
internal interface IOperation : IEntryCall
{
    /// <summary>The task that the caller got.</summary>
    Task Task { get; }

    /// <summary>Calls the function on the calling thread. <see langword="false"/>: the operation was cancelled.</summary>
    bool TryBegin();
}

/// <summary>The result type of operations without a result.</summary>
internal readonly struct NoResult;

/// <summary>An operation that a token may cancel until it starts. The thread that takes the function decides whether the operation starts or is
/// cancelled.</summary>
internal class CancellableOperation<TResult> : Operation<TResult>
{
    private static readonly Action<object?, CancellationToken> s_cancel =
        static (operation, token) => Unsafe.As<CancellableOperation<TResult>>(operation!).Cancel(token);

    private readonly CancellationTokenRegistration _registration;

    public CancellableOperation(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
        : base(pool, function) => _registration = cancellationToken.UnsafeRegister(s_cancel, this); // may cancel here

    protected override Func<Task>? TakeFunction()
    {
        Func<Task>? function = TakeFunctionOnce();
        _registration.Unregister();
        if (function is null)
        {
            Pool.CancelledItems.Remove();
        }

        return function;
    }

    /// <summary>Takes the operation, whose function is this, out of the place where it waits. <see langword="false"/>: it has a slot, or gets one.</summary>
    protected virtual bool TryLeave(Func<Task> function) => (function.Target as LimitedFunction)?.TryLeave() == true;

    private void Cancel(CancellationToken cancellationToken)
    {
        if (TakeFunctionOnce() is { } function)
        {
            Chaos.Point("CancellableOperation.Cancel, taken");
            if (!TryLeave(function))
            {
                Pool.CancelledItems.Add(); // first: code that sees the end of the task finds its place free
            }

            TrySetCanceled(cancellationToken);
        }
    }
}
