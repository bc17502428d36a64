namespace NativeThreading.Time;

/// <summary>Synchronous functions as functions that return a completed task. A delegate that is bound to the user's allocates no closure, and
/// observers see the user's delegate in it.</summary>
internal static class CompletedCalls
{
    public static Task Completed => Task.CompletedTask;

    public static Task Failed(Exception exception) => Task.FromException(exception);

    public static Task RunToCompletion(this Action action)
    {
        action();
        return Completed;
    }

    public static Task RunToResult<TResult>(this Func<TResult> function) => Task.FromResult(function());
}
