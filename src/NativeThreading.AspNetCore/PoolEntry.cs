namespace NativeThreading.AspNetCore;

/// <summary>The one place where requests enter a pool.</summary>
internal static class PoolEntry
{
    public static Task RunAsync(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken) =>
        pool.RunAsync(function, cancellationToken);

    /// <summary>
    /// Of a request that has not begun, whether the pool did not take it: its queue is full, or it is shutting down. A shutdown whose token
    /// is cancelled cancels the requests that it drops; <see cref="PoolPassage"/> throws nothing for other cancellations.
    /// </summary>
    public static bool IsRefusal(Exception exception) => exception is QueueFullException or ObjectDisposedException or OperationCanceledException;
}
