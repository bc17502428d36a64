using NativeThreading.Async;
using NativeThreading.Waiting;

namespace NativeThreading.Limits;

/// <summary>An item whose caller stands in line for a place.</summary>
/// <remarks>
/// Whoever grants the place publishes the item in the caller's name, so that the order of the line is the order in the
/// queue whenever the caller wakes.
/// </remarks>
internal sealed class WaitingItem(NativeThreadPool pool, Action<object?> callback, object? state, object? context, bool isFromOutside)
{
    private static readonly Action<object?, CancellationToken> s_cancel = static (item, token) => ((WaitingItem)item!).Cancel(token);

    private TaskCompletionSource? _accepted;
    private CancellationTokenRegistration _registration;

    public bool IsFromOutside => isFromOutside;

    /// <summary>Whether it is in the line, and between whom; under the lock of <see cref="QueuePlaces"/>.</summary>
    public bool IsInLine { get; set; }

    /// <inheritdoc cref="IsInLine"/>
    public WaitingItem? Previous { get; set; }

    /// <inheritdoc cref="IsInLine"/>
    public WaitingItem? Next { get; set; }

    /// <summary>The next one that was granted a place in the same breath.</summary>
    public WaitingItem? NextGranted { get; set; }

    /// <summary>Why it could not be published.</summary>
    public Exception? Failure { get; set; }

    /// <summary>Joins the line; the task completes when the item has been accepted, and fails if the pool shuts down first.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    public Task Join(CancellationToken cancellationToken)
    {
        _accepted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        JoinUnattended(cancellationToken);
        return _accepted.Task;
    }

    /// <summary>Joins the line; nobody waits for the acceptance. A state that wants to know is told if it never comes.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    public void JoinUnattended(CancellationToken cancellationToken)
    {
        // Before it joins, so that whoever grants the place finds the registration; a token that was cancelled in
        // between found nobody in the line, so it is asked again.
        _registration = cancellationToken.UnsafeRegister(s_cancel, this);
        Chaos.Point("WaitingItem.JoinUnattended, registered");
        if (!pool.Places!.TryJoin(this))
        {
            _registration.Unregister();
            throw pool.ShutDownError();
        }

        Chaos.Point("WaitingItem.JoinUnattended, joined");
        if (cancellationToken.IsCancellationRequested)
        {
            Cancel(cancellationToken);
        }
    }

    /// <summary>Blocks until the item has been accepted. An interrupted thread leaves the line, or has queued its item.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; nothing was queued.</exception>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted; nothing was queued.</exception>
    public void JoinAndBlock(CancellationToken cancellationToken)
    {
        Task accepted = Join(cancellationToken);
        bool interrupted = false;

        // The caller may be a worker of another pool of ours.
        using (NativeThreadPool.EnterBlockingRegion())
        {
            try
            {
                accepted.GetAwaiter().GetResult();
            }
            catch (ThreadInterruptedException) when (!pool.Places!.TryQuit(this))
            {
                interrupted = true; // too late, somebody is about to say what became of the item
            }
        }

        if (interrupted)
        {
            for (var spin = default(UninterruptedSpin); !accepted.IsCompleted; spin.Once())
            {
                // An instruction or two away: it has left the line.
            }

            Thread.CurrentThread.Interrupt(); // the next wait is interrupted instead
            accepted.GetAwaiter().GetResult();
        }
    }

    /// <summary>Puts the item into the queue; under the lock, holding the place.</summary>
    public void Publish()
    {
        (state as LimitedRun)?.PlaceGranted(); // before a worker can begin it, which would find no place to leave
        Chaos.Point("WaitingItem.Publish, place granted");
        pool.PublishGranted(callback, state, context);
    }

    /// <summary>It could not be published; <see langword="false"/>: the token has taken its place away already.</summary>
    public bool TryForgoPlace() => state is not LimitedRun run || run.TryForgoPlace();

    /// <summary>The item has been published, or has failed to be; outside the lock. Continuations run elsewhere.</summary>
    public void Granted()
    {
        if (Failure is not null)
        {
            Refused(Failure);
            return;
        }

        Chaos.Point("WaitingItem.Granted");
        _registration.Unregister();
        (state as LimitedRun)?.LeaveIfCancelled();
        Chaos.Point("WaitingItem.Granted, unregistered");
        _accepted?.TrySetResult();
    }

    /// <summary>The item was taken out of the line and will not be queued.</summary>
    public void Refused(Exception exception)
    {
        Chaos.Point("WaitingItem.Refused");
        _registration.Unregister();
        if (_accepted is not null)
        {
            _accepted.TrySetException(exception);
        }
        else if (state is LimitedRun run)
        {
            run.Refuse(exception);
        }
        else
        {
            (state as IDroppable)?.Drop();
        }
    }

    private void Cancel(CancellationToken cancellationToken)
    {
        if (pool.Places!.TryQuit(this))
        {
            _accepted?.TrySetCanceled(cancellationToken);
        }
    }
}
