using System.Runtime.CompilerServices;

namespace NativeThreading.Async;

/// <summary>
/// An operation of <c>Run</c> that waits to begin: the state of its first item, and what its caller's task unwraps. A task
/// for the first part would cost the scheduler's entry and the task's own.
/// </summary>
/// <typeparam name="TTask">What the function returns.</typeparam>
internal abstract class Operation<TTask> : TaskCompletionSource<TTask>
    where TTask : Task
{
    /// <summary>The item's callback: it is a resumption, which finds the scheduler and a context for its awaits.</summary>
    public static readonly Action<object?> Begin = static operation => Unsafe.As<Operation<TTask>>(operation!).BeginHere();

    private static readonly Action<object?, CancellationToken> s_cancel =
        static (operation, token) => Unsafe.As<Operation<TTask>>(operation!).Cancel(token);

    private readonly CancellationTokenRegistration _registration;
    private readonly bool _isCancellable;
    private Func<TTask>? _function;

    /// <param name="function">What runs.</param>
    /// <param name="cancellationToken">Cancels the operation until it begins; its item then finds nothing to run.</param>
    protected Operation(Func<TTask> function, CancellationToken cancellationToken)
    {
        _function = function;
        if (cancellationToken.CanBeCanceled)
        {
            _isCancellable = true;
            _registration = cancellationToken.UnsafeRegister(s_cancel, this); // may cancel here
        }
    }

    /// <summary>
    /// What a function has returned that throws this instead, as with the framework's <c>Run</c> (T142). One that returns no
    /// task was cancelled by nobody.
    /// </summary>
    protected abstract TTask CancelledBy(OperationCanceledException exception);

    private void BeginHere()
    {
        if (TakeFunction() is not { } function)
        {
            return; // cancelled
        }

        TTask rest;
        try
        {
            rest = NativeThreadPool.NoteIfOpen(function()) ?? CancelledBy(new TaskCanceledException());
        }
        catch (OperationCanceledException exception)
        {
            rest = CancelledBy(exception);
        }
        catch (Exception exception)
        {
            SetException(exception);
            return;
        }

        SetResult(rest);
    }

    /// <summary>The operation may outlive what began it, and so keeps the function until then only.</summary>
    private Func<TTask>? TakeFunction()
    {
        if (_isCancellable)
        {
            // Whoever takes the function decides: it begins, or it is cancelled.
            Func<TTask>? taken = Interlocked.Exchange(ref _function, null);
            _registration.Unregister();
            return taken;
        }

        Func<TTask> function = _function!;
        _function = null;
        return function;
    }

    private void Cancel(CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _function, null) is not null)
        {
            TrySetCanceled(cancellationToken);
        }
    }
}

/// <summary>One without a result.</summary>
internal sealed class Operation(Func<Task> function, CancellationToken cancellationToken) : Operation<Task>(function, cancellationToken)
{
    protected override Task CancelledBy(OperationCanceledException exception) => CancelledTask.By(exception);
}

/// <summary>One with a result.</summary>
internal sealed class ResultOperation<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken)
    : Operation<Task<TResult>>(function, cancellationToken)
{
    protected override Task<TResult> CancelledBy(OperationCanceledException exception) => CancelledTask.By<TResult>(exception);
}
