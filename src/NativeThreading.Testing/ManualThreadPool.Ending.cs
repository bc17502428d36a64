namespace NativeThreading.Testing;

// How the pool ends, as a NativeThreadPool does.
public sealed partial class ManualThreadPool
{
    private readonly TaskCompletionSource<long> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _idleLock = new();
    private TaskCompletionSource? _idle; // of the calls that wait; guarded by that lock
    private CancellationToken _stopToken; // before the pool has stopped
    private int _isDraining;
    private int _isStopped;
    private int _open;
    private long _ranElsewhere;

    /// <summary>Gets the number of continuations and tasks of <see cref="Scheduler"/> that came after the pool had stopped. They ran on the
    /// built-in thread pool.</summary>
    public long RanElsewhereCount => Volatile.Read(ref _ranElsewhere);

    private bool HasWork => Volatile.Read(ref _runner) is not null || _queue.Count != 0 || _queue.WaiterCount != 0 || Volatile.Read(ref _open) != 0;

    private bool RefusesCaller => Volatile.Read(ref _isDraining) != 0 && Current != this;

    /// <summary>Rejects new work from outside its items. The test runs the accepted work, as before.</summary>
    /// <param name="cancellationToken">A token that stops the pool without running the waiting items: the pool drops them, and cancels calls of
    /// <c>Run</c> and
    /// <c>RunAsync</c> whose function has not started. Continuations and tasks of <see cref="Scheduler"/> run on the built-in thread pool.</param>
    /// <returns>A task with the number of items that were dropped or cancelled. It completes when nothing waits, no item runs and no operation
    /// of <c>Run</c> is open, or when the token is cancelled.</returns>
    /// <remarks>The outcomes are those of <see cref="NativeThreadPool.ShutdownAsync"/>.</remarks>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _isDraining, 1) == 0)
        {
            Resume();
            _queue.TakeWaiters(all: false).ForEach(waiter => RefuseWaiter(waiter, ShutDownError()));
            EndWaits(isStopped: false);
        }

        FinishIfDrained();
        if (!_stopped.Task.IsCompleted)
        {
            CancellationTokenRegistration registration = cancellationToken.UnsafeRegister((_, token) => Stop(token), null);
            _stopped.Task.ContinueWith(
                _ => registration.Unregister(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        return _stopped.Task;
    }

    /// <summary>Waits, without a thread, until the pool has no work: no item waits or runs, and no operation is open. The test runs the items, as
    /// before.</summary>
    /// <param name="cancellationToken">A token that ends the wait.</param>
    /// <returns>A task that completes when the pool was idle for a moment after the call, or has stopped. It is cancelled if
    /// <paramref name="cancellationToken"/> is cancelled first.</returns>
    /// <remarks>As <see cref="NativeThreadPool.WaitForIdleAsync"/>. Work that is due later on <see cref="Clock"/> does not count until it is due.</remarks>
    /// <example><code>
    /// var pool = new ManualThreadPool();
    /// _ = pool.Run(() =&gt; Console.WriteLine("runs"));
    /// Task idle = pool.WaitForIdleAsync();
    /// pool.RunAll(); // completes the wait
    /// await idle;
    /// </code></example>
    public Task WaitForIdleAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        Task idle;
        lock (_idleLock)
        {
            _idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            idle = _idle.Task;
        }

        EndWaitsForIdle();
        return idle.WaitAsync(cancellationToken);
    }

    /// <summary>Behind each step that may have queued an item: a pool that stops meanwhile finds it, or this does.</summary>
    internal void SettleIfStopped()
    {
        if (Volatile.Read(ref _isStopped) != 0)
        {
            Settle(dropsRawItems: false);
        }
    }

    private void CountOpen(Task operation, ManualWorkItem item)
    {
        Interlocked.Increment(ref _open);
        operation.ContinueWith(
            _ =>
            {
                _queue.LeavePlace(item);
                Interlocked.Decrement(ref _open);
                FinishIfDrained();
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    private void FinishIfDrained()
    {
        if (Volatile.Read(ref _isDraining) != 0 && !HasWork && Interlocked.Exchange(ref _isStopped, 1) == 0)
        {
            EndWaits(isStopped: true);
            _stopped.TrySetResult(0);
        }

        EndWaitsForIdle();
    }

    /// <summary>Under the lock, so that no wait that starts after the pool was idle is completed.</summary>
    private void EndWaitsForIdle()
    {
        if (Volatile.Read(ref _idle) is null)
        {
            return;
        }

        lock (_idleLock)
        {
            if (Volatile.Read(ref _isStopped) != 0 || !HasWork)
            {
                _idle?.SetResult();
                _idle = null;
            }
        }
    }

    private void Stop(CancellationToken stopToken)
    {
        if (Volatile.Read(ref _isStopped) == 0)
        {
            _stopToken = stopToken;
        }

        if (Interlocked.Exchange(ref _isStopped, 1) != 0)
        {
            return;
        }

        long dropped = EndWaits(isStopped: true) + Settle(dropsRawItems: true);
        foreach (ManualWorkItem waiter in _queue.TakeWaiters(all: true))
        {
            dropped += waiter.Refusal is null ? 0 : 1;
            RefuseWaiter(waiter, waiter.Refusal is null ? ShutDownError() : StopError());
        }

        _stopped.TrySetResult(dropped);
        EndWaitsForIdle();
    }

    private long Settle(bool dropsRawItems)
    {
        long dropped = 0;
        foreach (ManualWorkItem item in _queue.TakeAll())
        {
            if (item.Refusal is not null && _stopToken.CanBeCanceled)
            {
                dropped++;
                Refuse(item, StopError());
            }
            else if (dropsRawItems && !item.IsContinuation)
            {
                dropped++;
                item.Observed?.NoteNotStarted(hasExpired: false);
            }
            else
            {
                item.Observed = null;
                Interlocked.Increment(ref _ranElsewhere);
                ThreadPool.UnsafeQueueUserWorkItem(static item => item.Run(), item, preferLocal: false);
            }
        }

        return dropped;
    }

    /// <summary>Ends a call whose item was taken out of the queue, without calling its function.</summary>
    private static void Refuse(ManualWorkItem item, Exception exception)
    {
        item.Refusal!.Set(exception);
        item.Run();
    }

    private void RefuseWaiter(ManualWorkItem waiter, Exception exception)
    {
        waiter.Accepted?.TrySetException(exception);
        if (waiter.Refusal is { } refusal)
        {
            refusal.Set(exception);
            waiter.Admit!(); // starts its task
            _queue.Remove(waiter);
            waiter.Run();
        }
    }

    private ObjectDisposedException ShutDownError() => new(ToString(), "The pool is shutting down and accepts no more work.");

    private TaskCanceledException StopError() =>
        new("The token of the shutdown was cancelled before the work began, so the work was dropped.", innerException: null, _stopToken);

    private void ThrowIfShutDown()
    {
        if (RefusesCaller)
        {
            throw ShutDownError();
        }
    }
}
