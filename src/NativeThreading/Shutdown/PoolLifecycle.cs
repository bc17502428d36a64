using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tracing;

namespace NativeThreading.Shutdown;

/// <summary>The end of a pool: it drains, or a token stops it; then its threads end. No other code changes the pool's
/// <see cref="LifecycleState"/>.</summary>
internal sealed class PoolLifecycle(NativeThreadPool pool)
{
    private readonly StopTokens _tokens = new();
    private TaskCompletionSource<long>? _stopped;
    private Task? _awaitedOperation; // under the roster's lock
    private readonly UninterruptedLock _idleLock = new();
    private readonly List<TaskCompletionSource> _idleWaits = []; // under that lock
    private CancellationToken _stopToken; // under the roster's lock, before the pool has stopped
    private bool _stoppedByToken;
    private int _abandoned;

    /// <summary>The token that stopped the pool; <see langword="null"/> if no token did.</summary>
    public CancellationToken? StopToken => Volatile.Read(ref _stoppedByToken) ? _stopToken : null;

    /// <summary>The number of items that were running when a token stopped the pool.</summary>
    public int AbandonedCount => Volatile.Read(ref _abandoned);

    // Created when it is first used: the framework contains no compiled code for it, and the first pool of a process would compile it.
    private TaskCompletionSource<long> Stopped
    {
        get
        {
            if (Volatile.Read(ref _stopped) is { } stopped)
            {
                return stopped;
            }

            stopped = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
            return Interlocked.CompareExchange(ref _stopped, stopped, null) ?? stopped;
        }
    }

    /// <summary>Starts the shutdown, or joins it. The task completes when the pool has stopped, with the number of dropped items.</summary>
    public Task<long> BeginShutdown(CancellationToken cancellationToken)
    {
        Task<long> stopped = Stopped.Task; // created before anything ends: the thread that ends the pool must not need memory for it
        pool.State.Lifecycle.TryDrain();
        Chaos.Point("PoolLifecycle.BeginShutdown, draining");
        pool.Permits?.Close(toOutside: true); // the pool's own items may still queue, and wait for a permit
        pool.EndDelayedWork(isStopped: false);
        TryFinishDraining();
        if (!stopped.IsCompleted)
        {
            _tokens.Add(static (lifecycle, token) => ((PoolLifecycle)lifecycle!).StopNow(token), this, cancellationToken);
            if (!cancellationToken.IsCancellationRequested)
            {
                pool.Resume(); // accepted work must run; otherwise the shutdown would never complete
            }
        }

        return stopped;
    }

    /// <summary>Returns a task that completes when the pool has been without work at some moment after the call, or has stopped.</summary>
    public Task WhenIdle(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        var idle = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using (_idleLock.EnterScope())
        {
            _idleWaits.Add(idle);
        }

        pool.State.AddIdleWaits(1); // a full fence: pairs with the announcement of a worker, which reads it before it parks
        Chaos.Point("PoolLifecycle.WhenIdle, counted");
        TryFinishDraining();
        if (pool.IsStopped)
        {
            EndIdleWaits(default);
        }

        if (cancellationToken.CanBeCanceled && !idle.Task.IsCompleted)
        {
            CancellationTokenRegistration registration = cancellationToken.UnsafeRegister((_, token) => EndIdleWaits(token, idle), null);
            idle.Task.WhenEnded(static (_, registration) => ((CancellationTokenRegistration)registration!).Unregister(), registration);
        }

        return idle.Task;
    }

    /// <summary>Stops the pool if no work is left: no open operation, no item in any queue, every worker announced idle or in the reserve. Called by
    /// each thread that may have been the last: a worker that becomes idle, enters the reserve or ends; the thread that ends a rejected request or
    /// cannot start a thread; an operation that completes; the shutdown itself.</summary>
    /// <remarks>A call that comes too early is not repeated. So each return of <see cref="IsNothingLeft"/> names the caller of the next call (T134).
    /// Model: native/models/reserve.pml.</remarks>
    public void TryFinishDraining()
    {
        (PoolLifecycle Lifecycle, Task? Open) look = (this, null);
        if (pool.Roster.TryClose(
            static (ref (PoolLifecycle Lifecycle, Task? Open) look, int atWork) => look.Lifecycle.IsNothingLeft(atWork, ref look.Open), ref look))
        {
            AfterStop();
            return;
        }

        // Not under the lock: if the operation has completed meanwhile, the callback runs at once.
        look.Open?.WhenEnded(static (_, lifecycle) => ((PoolLifecycle)lifecycle!).TryFinishDraining(), this);
    }

    /// <summary>Called by each thread that ends, and for each thread that could not be started.</summary>
    public void AfterThreadLeft()
    {
        if (pool.IsStopped)
        {
            PassStopOn();
            CompleteIfDrainedAndGone();
        }
        else if (pool.State.AwaitsIdle)
        {
            TryFinishDraining();
        }
    }

    /// <summary>Wakes the reserve, and one parked worker, which sees that the pool has stopped and wakes the next one.</summary>
    public void PassStopOn()
    {
        pool.Roster.CallBackAll();
        Chaos.Point("PoolLifecycle.PassStopOn, reserve told");
        if (WorkerSignal.IdleCount(pool.Signal.Word) != 0)
        {
            pool.Signal.SetGrowable(false);
            pool.Signal.Request();
        }
    }

    /// <summary>Returns whether a draining pool has no work left, and then stops it. Under the roster's lock: one thread at a time checks, and no
    /// worker is listed or removed meanwhile.</summary>
    /// <param name="atWork">Threads that are not in the reserve.</param>
    /// <param name="awaited">An operation whose end the caller waits for, if nothing else is left.</param>
    private bool IsNothingLeft(int atWork, ref Task? awaited)
    {
        if (!pool.State.AwaitsIdle || pool.IsStopped)
        {
            return false; // the shutdown calls when it drains, and a wait for idleness when it starts; after the stop no call is needed
        }

        // An announced worker runs no item until its next interlocked access to the word. Items that it published before are visible after this read.
        ulong word = pool.Signal.Word;
        long completed = pool.CompletedWorkItemCount;
        Counters.Add(Counted.OtherBarrier);
        ProcessBarrier.Issue();
        Chaos.Point("PoolLifecycle.IsNothingLeft, word read");
        if ((word & (SignalWord.Requested | SignalWord.Lingering)) != 0)
        {
            return false; // the requested worker calls, or the thread that ends a rejected request, or the lingering worker
        }

        if (WorkerSignal.IdleCount(word) != atWork)
        {
            return false; // each worker that runs calls before it parks and when it ends; so does the thread that fails to start one
        }

        if (pool.QueuedItemCount != 0)
        {
            return false; // the worker that runs the item calls: a worker was or will be requested, or the monitor tries to start a thread
        }

        // Only running workers add operations. A worker that ran since the first read is not announced any more, or has
        // completed an item. Other bits of the word may change: the monitor changes its own at any time, and makes no call.
        Chaos.Point("PoolLifecycle.IsNothingLeft, nothing pending");
        Task? open = pool.OpenOperations.FindOne();
        Chaos.Point("PoolLifecycle.IsNothingLeft, operations looked for");
        if (((pool.Signal.Word ^ word) & WorkerSignal.WhoRuns) != 0 || pool.CompletedWorkItemCount != completed)
        {
            return false; // the worker that woke up calls
        }

        if (open is not null)
        {
            awaited = open != _awaitedOperation ? open : null;
            _awaitedOperation = open;
            return false; // the operation's continuation calls
        }

        _awaitedOperation = null;
        if (!pool.IsDraining)
        {
            EndIdleWaits(default);
            return false; // the pool stays
        }

        pool.State.Lifecycle.Stop();
        return true;
    }

    /// <summary>The pool is idle; or the token of one wait was cancelled. Continuations run elsewhere.</summary>
    private void EndIdleWaits(CancellationToken cancelled, TaskCompletionSource? only = null)
    {
        List<TaskCompletionSource> ended;
        using (_idleLock.EnterScope())
        {
            ended = _idleWaits.FindAll(wait => only is null || wait == only);
            pool.State.AddIdleWaits(-_idleWaits.RemoveAll(ended.Contains));
        }

        foreach (TaskCompletionSource wait in ended)
        {
            if (only is null)
            {
                Completion.Set(wait);
            }
            else
            {
                Completion.Cancel(wait, cancelled);
            }
        }
    }

    /// <summary>The token was cancelled: drops items that have not started, and does not wait for running items (T114).</summary>
    private void StopNow(CancellationToken stopToken)
    {
        (PoolLifecycle Lifecycle, CancellationToken Token) stop = (this, stopToken);
        if (!pool.Roster.TryClose(
            static (ref (PoolLifecycle Lifecycle, CancellationToken Token) stop, int atWork) => stop.Lifecycle.StopByToken(atWork, stop.Token), ref stop))
        {
            return;
        }

        Chaos.Point("PoolLifecycle.StopNow, stopped");

        // Either a worker that queues at this moment sees the stop after its push, or the push is seen below.
        Counters.Add(Counted.OtherBarrier);
        ProcessBarrier.Issue();
        long dropped = (pool.Permits?.Close(toOutside: false) ?? 0) + pool.EndDelayedWork(isStopped: true) + pool.Leftovers.Abandon()
            + (pool.OperationLimit?.Abandon(stopToken) ?? 0);
        NativeThreadingEventSource.Log.StoppedByToken(pool.Name, dropped, pool.RanElsewhereCount);
        Completion.Set(Stopped, dropped);
        AfterStop();
    }

    /// <summary>Under the roster's lock.</summary>
    private bool StopByToken(int atWork, CancellationToken stopToken)
    {
        _stopToken = stopToken;
        pool.Leftovers.BeginAbandoning();
        Volatile.Write(ref _stoppedByToken, true);
        _abandoned = atWork - WorkerSignal.IdleCount(pool.Signal.Word) + pool.LongRunningThreadCount; // a parked worker has no item
        pool.State.Lifecycle.Stop();
        return true;
    }

    private void AfterStop()
    {
        pool.Permits?.Close(toOutside: false);
        pool.Leftovers.NoteCancelledLate(pool.EndDelayedWork(isStopped: true));
        Chaos.Point("PoolLifecycle.AfterStop");
        pool.Leftovers.SettleAll(); // items that a late producer published after the last scan
        pool.Resume(); // a token stopped a paused pool
        PassStopOn();
        EndIdleWaits(default);
        CompleteIfDrainedAndGone();
        pool.MonitorHold?.Dispose(); // no worker is enlisted any more
        _tokens.Release();
    }

    /// <summary>The shutdown of a drained pool completes when its last thread has ended. If a token stopped the pool, the shutdown waits for no
    /// thread, and completes with the number of dropped items.</summary>
    private void CompleteIfDrainedAndGone()
    {
        if (!Volatile.Read(ref _stoppedByToken) && pool.ThreadCount == 0)
        {
            Completion.Set(Stopped, 0);
        }
    }
}
