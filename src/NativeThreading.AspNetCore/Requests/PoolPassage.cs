namespace NativeThreading.AspNetCore;

/// <summary>A request or a call of a hub on its way through the queue of a pool.</summary>
/// <remarks>The token also cancels the operation that waits in the queue, but a cancelled operation does not show whether its handler had started. So
/// the first one decides: the worker that starts it, or the cancellation. An item that stays in the queue is then empty, and has released its
/// permit.</remarks>
internal abstract class PoolPassage
{
    private const int Waiting = 0, Started = 1, Left = 2;

    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _state;

    /// <summary>Whether the handler was called. An exception before that is the pool's, one after it is the handler's, even of the same
    /// type.</summary>
    public bool HasStarted => Volatile.Read(ref _state) == Started;

    /// <summary>Whether the pool did not take a request that has not started: its queue is full, or it is shutting down. A shutdown whose token is
    /// cancelled cancels the requests that it drops; <see cref="RunAsync"/> throws nothing for other cancellations.</summary>
    public static bool IsRejection(Exception exception) => exception is QueueFullException or ObjectDisposedException or OperationCanceledException;

    /// <summary>Completes with the outcome of the handler, or when the token is cancelled before the handler starts. Throws the exception of a pool
    /// that rejects the request.</summary>
    /// <returns><see langword="false"/> if the token was cancelled before the handler started.</returns>
    public async Task<bool> RunAsync(NativeThreadPool pool, CancellationToken cancellation)
    {
        Task run = pool.RunAsync(BeginAsync, cancellation);
        using (cancellation.UnsafeRegister(static passage => ((PoolPassage)passage!).Leave(), this))
        {
            // Resumes where the caller was: for a branch within another pool's branch, on that pool.
            Task first = await Task.WhenAny(run, _left.Task).ConfigureAwait(true);
            if (first.IsCanceled && cancellation.IsCancellationRequested)
            {
                Leave(); // the operation has learned of the cancellation sooner; nothing changes where the handler has started
            }

            if (Volatile.Read(ref _state) == Left)
            {
                return false;
            }

            await first.ConfigureAwait(true);
            return true;
        }
    }

    /// <summary>Calls the handler, on the pool.</summary>
    protected abstract Task InvokeAsync();

    /// <summary>Drops what the server will use for another request. The handler is not called any more.</summary>
    protected abstract void Forget();

    private Task BeginAsync()
    {
        if (Interlocked.CompareExchange(ref _state, Started, Waiting) != Waiting)
        {
            return Task.CompletedTask;
        }

        try
        {
            return InvokeAsync();
        }
        catch (Exception exception)
        {
            // A cancellation that leaves the task's delegate would become a new exception without its stack.
            return Task.FromException(exception);
        }
    }

    private void Leave()
    {
        if (Interlocked.CompareExchange(ref _state, Left, Waiting) == Waiting)
        {
            Forget();
            _left.SetResult();
        }
    }
}
