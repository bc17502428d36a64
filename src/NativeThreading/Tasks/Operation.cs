using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// An operation of <c>Run</c> that waits to begin: the state of its first item, and what its caller's task unwraps. A task
/// for the first part would cost the scheduler's entry and the task's own.
/// </summary>
/// <typeparam name="TTask">What the function returns.</typeparam>
internal abstract class Operation<TTask>(Func<TTask> function) : TaskCompletionSource<TTask>
    where TTask : Task
{
    /// <summary>The item's callback: it is a resumption, which finds the scheduler and a context for its awaits.</summary>
    public static readonly Action<object?> Begin = static operation => Unsafe.As<Operation<TTask>>(operation!).BeginHere();

    private Func<TTask>? _function = function;

    /// <summary>
    /// What a function has returned that throws this instead, as with the framework's <c>Run</c> (T142). One that returns no
    /// task was cancelled by nobody.
    /// </summary>
    protected abstract TTask CancelledBy(OperationCanceledException exception);

    private void BeginHere()
    {
        Func<TTask> function = _function!;
        _function = null; // the operation may outlive what began it
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
}

/// <summary>One without a result.</summary>
internal sealed class Operation(Func<Task> function) : Operation<Task>(function)
{
    protected override Task CancelledBy(OperationCanceledException exception) => CancelledTask.By(exception);
}

/// <summary>One with a result.</summary>
internal sealed class ResultOperation<TResult>(Func<Task<TResult>> function) : Operation<Task<TResult>>(function)
{
    protected override Task<TResult> CancelledBy(OperationCanceledException exception) => CancelledTask.By<TResult>(exception);
}
