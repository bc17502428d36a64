namespace NativeThreading.AspNetCore;

/// <summary>The one place where requests enter a pool.</summary>
internal static class PoolEntry
{
    public static Task RunAsync(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken) =>
        pool.RunAsync(function, cancellationToken);

    /// <summary>Whether the pool did not take the request: its queue is full, or it is shutting down.</summary>
    public static bool IsRefusal(Exception exception) => exception is QueueFullException or ObjectDisposedException;
}
