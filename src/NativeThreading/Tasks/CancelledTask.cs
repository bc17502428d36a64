using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// Tasks that were cancelled by an exception, which they throw again. Only what builds async methods makes them; by its
/// token alone a task says that it was cancelled, but no more by what.
/// </summary>
internal static class CancelledTask
{
    /// <summary>The message of <see cref="StopError"/>.</summary>
    public const string StopMessage = "The token of the shutdown was cancelled before the work began, so the work was dropped.";

    /// <summary>How a call ends whose function had not begun when the token of a shutdown stopped its pool or loop.</summary>
    public static TaskCanceledException StopError(CancellationToken stopToken) =>
        new(StopMessage, innerException: null, stopToken);

    public static Task By(OperationCanceledException exception)
    {
        var builder = AsyncTaskMethodBuilder.Create();
        builder.SetException(exception);
        return builder.Task;
    }

    public static Task<TResult> By<TResult>(OperationCanceledException exception)
    {
        var builder = AsyncTaskMethodBuilder<TResult>.Create();
        builder.SetException(exception);
        return builder.Task;
    }
}
