using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.Limits;

/// <summary>An item whose caller waits for a permit. A thread that grants the permit publishes the item, so the order of the waiter list
/// is the order in the queue, whenever the caller wakes.</summary>
internal sealed class Waiter(NativeThreadPool pool, Action<object?> callback, object? state, object? context, bool isFromOutside)
{
    private static readonly Action<object?, CancellationToken> s_cancel = static (waiter, token) => ((Waiter)waiter!).Cancel(token);

    private TaskCompletionSource? _accepted;
    private CancellationTokenRegistration _registration;

    public bool IsFromOutside => isFromOutside;

    /// <summary>Its place in the waiter list. Under the lock of <see cref="Permits"/>.</summary>
    public LinkedListNode<Waiter> Place => field ??= new LinkedListNode<Waiter>(this);

    /// <summary>The next waiter that was granted a permit in the same pass.</summary>
    public Waiter? NextGranted { get; set; }

    /// <summary>Why the item could not be published.</summary>
    public Exception? Failure { get; set; }

    /// <summary>Joins the waiter list. The task completes when the item has been accepted; it fails if the pool shuts down first.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    public Task Join(CancellationToken cancellationToken)
    {
        _accepted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        JoinUnattended(cancellationToken);
        return _accepted.Task;
    }

    /// <summary>Joins the waiter list. No caller waits for the acceptance; the item's state is notified if the item is rejected.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    public void JoinUnattended(CancellationToken cancellationToken)
    {
        // Registered before it joins, so that the thread that grants the permit finds the registration. A token that was cancelled in
        // between found no caller in the list, so it is checked again below.
        _registration = cancellationToken.UnsafeRegister(s_cancel, this);
        Chaos.Point("Waiter.JoinUnattended, registered");
        if (!pool.Permits!.TryJoin(this))
        {
            _registration.Unregister();
            throw pool.ShutDownError();
        }

        Chaos.Point("Waiter.JoinUnattended, joined");
        if (cancellationToken.IsCancellationRequested)
        {
            Cancel(cancellationToken);
        }
    }

    /// <summary>Blocks until the item has been accepted. An interrupted thread leaves the list, or has queued its item.</summary>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; nothing was queued.</exception>
    /// <exception cref="ThreadInterruptedException">The thread was interrupted; nothing was queued.</exception>
    public void JoinAndBlock(CancellationToken cancellationToken)
    {
        Task accepted = Join(cancellationToken);
        bool interrupted = false;

        // The caller may be a worker of another pool.
        using (NativeThreadPool.EnterBlockingRegion())
        {
            try
            {
                Completion.Wait(accepted);
            }
            catch (ThreadInterruptedException) when (!pool.Permits!.TryQuit(this))
            {
                interrupted = true; // too late: the waiter has left the list, and gets the outcome of the item
            }
        }

        if (interrupted)
        {
            for (var spin = default(UninterruptedSpin); !accepted.IsCompleted; spin.Once())
            {
                // It has left the list, and is notified within a few instructions.
            }

            Thread.CurrentThread.Interrupt(); // the next wait is interrupted instead
            accepted.GetAwaiter().GetResult();
        }
    }

    /// <summary>Puts the item into the queue. Under the lock, with a permit.</summary>
    public void Publish()
    {
        (state as AdmittedRun)?.PermitGrantedToWaiter(); // first: a worker that starts it must find a permit to release
        Chaos.Point("Waiter.Publish, permit granted");
        pool.Publish(callback, state, context);
    }

    /// <summary>The item could not be published. <see langword="false"/>: a cancelled token has released its permit already.</summary>
    public bool TryForgoPermit() => state is not AdmittedRun run || run.TryForgoPermit();

    /// <summary>The item was published, or could not be. Not under the lock. Continuations run elsewhere.</summary>
    public void Granted()
    {
        if (Failure is not null)
        {
            Refused(Failure);
            return;
        }

        Chaos.Point("Waiter.Granted");
        _registration.Unregister();
        (state as AdmittedRun)?.ReleaseIfCancelled();
        Chaos.Point("Waiter.Granted, unregistered");
        if (_accepted is not null)
        {
            Completion.Set(_accepted);
        }
    }

    /// <summary>The item was taken out of the list and will not be queued.</summary>
    public void Refused(Exception exception)
    {
        Chaos.Point("Waiter.Refused");
        _registration.Unregister();
        if (_accepted is not null)
        {
            Completion.Fail(_accepted, exception);
        }
        else if (state is AdmittedRun run)
        {
            run.Refuse(exception);
        }
        else
        {
            (state as IDroppable)?.Drop(default);
        }
    }

    /// <summary>A token has stopped the pool, and the item was taken out of the list. Cancels a call of <c>RunAsync</c>, unless its own token cancels it
    /// first; rejects all other work.</summary>
    /// <returns>Whether it cancelled such a call.</returns>
    public bool Abandon(CancellationToken stopToken)
    {
        if (state is AdmittedRun run && _accepted is null)
        {
            Chaos.Point("Waiter.Abandon");
            _registration.Unregister();
            return run.TryAbandonWaiting(stopToken);
        }

        Refused(pool.ShutDownError());
        return false;
    }

    private void Cancel(CancellationToken cancellationToken)
    {
        if (!pool.Permits!.TryQuit(this))
        {
            return;
        }

        (state as AdmittedRun)?.NeverQueued();
        if (_accepted is not null)
        {
            Completion.Cancel(_accepted, cancellationToken);
        }
    }
}
