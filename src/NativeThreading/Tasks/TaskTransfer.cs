namespace NativeThreading.Tasks;

/// <summary>Hands the outcome of one task on to another.</summary>
internal static class TaskTransfer
{
    /// <summary>Completes as <paramref name="task"/>, which has completed, did.</summary>
    public static void SetFrom<TResult>(this TaskCompletionSource<TResult> completion, Task task)
    {
        if (task.IsCompletedSuccessfully)
        {
            completion.SetResult(task is Task<TResult> { Result: var result } ? result : default!);
        }
        else if (task.IsCanceled)
        {
            completion.SetCanceled(TokenOf(task));
        }
        else
        {
            completion.SetException(task.Exception!.InnerExceptions);
        }
    }

    private static CancellationToken TokenOf(Task cancelled)
    {
        try
        {
            cancelled.GetAwaiter().GetResult();
            return default;
        }
        catch (OperationCanceledException exception)
        {
            return exception.CancellationToken;
        }
    }
}
