namespace NativeThreading.AspNetCore;

/// <summary>A piece of work, a request or a call of a hub, on its way through the queue of a pool.</summary>
/// <remarks>
/// The task that waits in the queue observes its token only when a worker comes upon it, however long that takes; the
/// work of a client that has gone does not wait for that. So who is first decides: the worker that begins it, or the
/// client that leaves. What stays in the queue then is empty, and has released its permit.
/// </remarks>
internal abstract class PoolPassage
{
    private const int Waiting = 0, Begun = 1, Left = 2;

    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _state;

    /// <summary>
    /// Whether the handler was called: what is thrown before is the pool's, what is thrown after is the handler's, even if
    /// it looks alike.
    /// </summary>
    public bool HasBegun => Volatile.Read(ref _state) == Begun;

    /// <summary>Completes as the handler does, or when the client has gone before it began; fails as the pool refuses.</summary>
    public async Task RunAsync(NativeThreadPool pool, CancellationToken aborted)
    {
        Task run = PoolEntry.RunAsync(pool, BeginAsync, aborted);
        using (aborted.UnsafeRegister(static passage => ((PoolPassage)passage!).Leave(), this))
        {
            // What follows belongs to whoever called: for a branch on a pool of its own that is the other pool.
            await (await Task.WhenAny(run, _left.Task).ConfigureAwait(true)).ConfigureAwait(true);
        }
    }

    /// <summary>Calls the handler, on the pool.</summary>
    protected abstract Task InvokeAsync();

    /// <summary>Lets go of what the server uses for somebody else; the handler is not called any more.</summary>
    protected abstract void Forget();

    private Task BeginAsync()
    {
        if (Interlocked.CompareExchange(ref _state, Begun, Waiting) != Waiting)
        {
            return Task.CompletedTask;
        }

        try
        {
            return InvokeAsync();
        }
        catch (Exception exception)
        {
            // Thrown out of the task's delegate, a cancellation would become a new exception without its stack.
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
