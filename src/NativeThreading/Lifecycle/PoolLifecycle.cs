using NativeThreading.Roster;
using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>
/// How a pool ends: it drains, or a token stops it; then its threads go. Nobody else changes the pool's <see cref="LifecycleState"/>.
/// </summary>
internal sealed class PoolLifecycle(NativeThreadPool pool)
{
    private readonly TaskCompletionSource<long> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly StopTokens _tokens = new();
    private Task? _awaitedOperation; // under the roster's lock
    private bool _stoppedByToken;
    private int _abandoned;

    /// <summary>Items that ran when a token stopped the pool.</summary>
    public int AbandonedCount => Volatile.Read(ref _abandoned);

    /// <summary>Begins the shutdown, or joins it. The task completes when the pool has stopped, with the number of items dropped.</summary>
    public Task<long> BeginShutdown(CancellationToken cancellationToken)
    {
        pool.State.Lifecycle.TryDrain();
        Chaos.Point("PoolLifecycle.BeginShutdown, draining");
        pool.Permits?.Close(toOutside: true); // the pool's own items may go on to queue, and so to wait
        TryFinishDraining();
        if (!_stopped.Task.IsCompleted)
        {
            _tokens.Add(static lifecycle => ((PoolLifecycle)lifecycle!).StopNow(), this, cancellationToken);
        }

        return _stopped.Task;
    }

    /// <summary>
    /// Stops the pool if nothing is left: no open operation, no item in any queue, every worker announced idle. Called
    /// by whoever may have been the last: a worker that goes idle, into the reserve or away, a request that was refused, an
    /// operation that ends, the shutdown itself.
    /// </summary>
    /// <remarks>
    /// Nobody asks again where this gives up, so each way out names who will have to come back (T134). The model is
    /// native/models/reserve.pml.
    /// </remarks>
    public void TryFinishDraining()
    {
        (PoolLifecycle Lifecycle, Task? Open) look = (this, null);
        if (pool.Roster.TryClose(
            static (ref (PoolLifecycle Lifecycle, Task? Open) look, RosterCounts counts) => look.Lifecycle.IsNothingLeft(counts, ref look.Open), ref look))
        {
            AfterStop();
            return;
        }

        // Not under the lock: it may be complete by now.
        look.Open?.ContinueWith(
            static (_, lifecycle) => ((PoolLifecycle)lifecycle!).TryFinishDraining(),
            this,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>Called by each ended thread.</summary>
    public void AfterThreadLeft()
    {
        if (pool.IsStopped)
        {
            PassStopOn();
            CompleteIfDrainedAndGone();
        }
        else if (pool.IsDraining)
        {
            TryFinishDraining();
        }
    }

    /// <summary>Wakes one parked worker; it sees that the pool has stopped, and wakes the next. The reserve is told at once.</summary>
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

    /// <summary>
    /// Whether a draining pool has nothing left; it has stopped then. Under the roster's lock: one look at a time, and no
    /// thread comes or goes meanwhile.
    /// </summary>
    /// <param name="counts">The roster's.</param>
    /// <param name="awaited">An operation that the caller is to wait for, if it is all that keeps the pool.</param>
    private bool IsNothingLeft(RosterCounts counts, ref Task? awaited)
    {
        if (!pool.IsDraining)
        {
            return false; // the shutdown comes here after it has begun to drain; after the stop each ended thread passes it on
        }

        // A worker that is announced runs nothing until its next interlocked access to the word; what it published
        // before is visible after this read.
        ulong word = pool.Signal.Word;
        long completed = pool.CompletedWorkItemCount;
        Interlocked.MemoryBarrierProcessWide();
        Chaos.Point("PoolLifecycle.IsNothingLeft, word read");
        if ((word & (WorkerSignal.Requested | WorkerSignal.Lingering)) != 0)
        {
            return false; // whom the request wakes, starts or calls back, or who finds it not needed; whoever lingers
        }

        if (WorkerSignal.IdleCount(word) != counts.AtWork)
        {
            return false; // each that runs, before it parks, in the reserve too, and as the last act of its thread
        }

        if (pool.PendingWorkItemCount != 0)
        {
            return false; // who takes it; it was published with a request, or one follows, or the monitor tries to start a thread
        }

        // Added by running workers only. One that ran meanwhile is not announced any more, or has completed something
        // since. No other bit may count: the monitor, for one, changes its own at any time, and calls nobody.
        Chaos.Point("PoolLifecycle.IsNothingLeft, nothing pending");
        Task? open = pool.OpenOperations.FindOne();
        Chaos.Point("PoolLifecycle.IsNothingLeft, operations looked for");
        if (((pool.Signal.Word ^ word) & WorkerSignal.WhoRuns) != 0 || pool.CompletedWorkItemCount != completed)
        {
            return false; // the worker that woke up, or was asked to
        }

        if (open is not null)
        {
            awaited = open != _awaitedOperation ? open : null;
            _awaitedOperation = open;
            return false; // the continuation that it has, or gets
        }

        _awaitedOperation = null;
        pool.State.Lifecycle.Stop();
        return true;
    }

    /// <summary>The token was cancelled: drops what has not begun, and does not wait for what runs (T114).</summary>
    private void StopNow()
    {
        PoolLifecycle lifecycle = this;
        if (!pool.Roster.TryClose(static (ref PoolLifecycle lifecycle, RosterCounts counts) => lifecycle.StopByToken(counts), ref lifecycle))
        {
            return;
        }

        Chaos.Point("PoolLifecycle.StopNow, stopped");

        // A worker that queues at this moment either sees the stop after its push, or its push is seen below.
        Interlocked.MemoryBarrierProcessWide();
        _stopped.TrySetResult(pool.Leftovers.Abandon());
        AfterStop();
    }

    /// <summary>Under the roster's lock.</summary>
    private bool StopByToken(RosterCounts counts)
    {
        _stoppedByToken = true;
        _abandoned = counts.AtWork - WorkerSignal.IdleCount(pool.Signal.Word) + pool.LongRunningThreadCount; // the parked ones have no item
        pool.State.Lifecycle.Stop();
        return true;
    }

    private void AfterStop()
    {
        pool.Permits?.Close(toOutside: false);
        Chaos.Point("PoolLifecycle.AfterStop");
        pool.Leftovers.RunAllElsewhere(); // what a late producer published after the last look
        PassStopOn();
        CompleteIfDrainedAndGone();
        pool.MonitorHold?.Dispose(); // no thread is started any more
        _tokens.Release();
    }

    /// <summary>
    /// A drained pool has stopped when its last thread has gone. One that a token stopped waits for no thread; only the
    /// stop itself knows how many items it dropped.
    /// </summary>
    private void CompleteIfDrainedAndGone()
    {
        if (!Volatile.Read(ref _stoppedByToken) && pool.ThreadCount == 0)
        {
            _stopped.TrySetResult(0);
        }
    }
}
