namespace NativeThreading.Tasks;

/// <summary>Passes the outcome of one task to another.</summary>
internal static class TaskTransfer
{
    /// <summary>Completes with the outcome of <paramref name="task"/>, which has completed.</summary>
    public static void SetFrom<TResult>(this TaskCompletionSource<TResult> completion, Task task)
    {
        if (task is Task<TResult> same)
        {
            completion.SetFromTask(same);
        }
        else if (task.IsCompletedSuccessfully)
        {
            completion.SetResult(default!);
        }
        else if (task.IsCanceled)
        {
            completion.SetCanceled(ExceptionOf(task));
        }
        else
        {
            completion.SetException(task.Exception!.InnerExceptions);
        }
    }

    /// <summary>A cancelled task; a thread that waits for it gets exactly this exception.</summary>
    public static void SetCanceled<TResult>(this TaskCompletionSource<TResult> completion, OperationCanceledException exception) =>
        completion.SetFromTask(CancelledTask.By<TResult>(exception));

    /// <summary>The exception that code which awaits a cancelled task gets.</summary>
    public static OperationCanceledException ExceptionOf(Task cancelled)
    {
        try
        {
            cancelled.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException exception)
        {
            return exception;
        }

        throw new InvalidOperationException("The task was not cancelled.");
    }
}
