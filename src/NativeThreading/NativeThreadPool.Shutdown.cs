using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Roster;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Shutting down: refuse entry, finish what was begun, let the threads go.</summary>
public sealed partial class NativeThreadPool
{
    private readonly TaskCompletionSource<long> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _state;
    private int _isGuarded; // entry has to look further: the queue is limited, or the pool shuts down
    private bool _stoppedByToken;
    internal OpenOperations OpenOperations { get; } = new();
    private Task? _awaitedOperation; // under the roster's lock
    private long _ranElsewhere;
    private int _abandoned;
    private readonly StopTokens _stopTokens = new();

    private static class State
    {
        public const int Running = 0;
        public const int Draining = 1;
        public const int Stopped = 2;
    }

    /// <summary>
    /// Tasks that became ready after the pool had stopped and ran on the runtime's pool instead, so that no async method
    /// hangs because its pool is gone; and items that another thread queued at the very moment of the stop.
    /// </summary>
    public long RanElsewhereCount => Volatile.Read(ref _ranElsewhere);

    /// <summary>
    /// Items that ran when the token of <see cref="ShutdownAsync"/> was cancelled; 0 before, and where the pool could finish.
    /// Nobody waits for them.
    /// </summary>
    public int AbandonedWorkItemCount => Volatile.Read(ref _abandoned);

    internal bool IsDraining => Volatile.Read(ref _state) == State.Draining;

    internal bool IsStopped => Volatile.Read(ref _state) == State.Stopped;

    /// <summary>
    /// Refuses new work, runs all work that was accepted, and lets the threads go. Work that items queue while they run,
    /// and continuations of async methods, are part of what was accepted; so are operations of <c>Run</c> that have not
    /// completed, and <see cref="TaskCreationOptions.LongRunning"/> tasks. Later calls join the first.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait: what has not begun is dropped, what runs is left to end by itself.</param>
    /// <returns>How many items were dropped: 0 unless <paramref name="cancellationToken"/> was cancelled. Tasks are never
    /// dropped: they run on the runtime's pool.</returns>
    /// <exception cref="InvalidOperationException">This is the shared pool.</exception>
    /// <remarks>
    /// An item of this pool that waits for the returned task waits for itself. After a cancelled token every accepted item
    /// has either been dropped and counted, or runs: one that a worker was moving at that moment, and what a running item
    /// still queues, runs on the runtime's pool. So does, whatever the token, an item whose queueing call began before the
    /// shutdown and meets its very end, a little after the returned task has completed.
    /// </remarks>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        if (_isShared)
        {
            throw new InvalidOperationException("The shared pool belongs to the process and cannot be shut down.");
        }

        return BeginShutdown(cancellationToken);
    }

    private Task<long> BeginShutdown(CancellationToken cancellationToken)
    {
        Volatile.Write(ref _isGuarded, 1);
        Chaos.Point("NativeThreadPool.BeginShutdown, guarded");
        Interlocked.CompareExchange(ref _state, State.Draining, State.Running);
        Chaos.Point("NativeThreadPool.BeginShutdown, draining");
        Places?.Close(toOutside: true); // the pool's own items may go on to queue, and so to wait
        TryFinishDraining();
        if (!_stopped.Task.IsCompleted)
        {
            _stopTokens.Add(static pool => ((NativeThreadPool)pool!).StopNow(), this, cancellationToken);
        }

        return _stopped.Task;
    }

    /// <summary><see cref="ShutdownAsync"/> without a token.</summary>
    /// <inheritdoc cref="ShutdownAsync" path="/exception"/>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>
    /// Shuts the pool down and waits until its work is done. From one of its own threads, and from a task of the pool wherever
    /// that runs, it only begins to: a thread cannot wait for itself.
    /// </summary>
    /// <inheritdoc cref="ShutdownAsync" path="/exception"/>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        if (Current != this && TaskScheduler.Current != Scheduler) // a full queue runs tasks on their callers
        {
            stopped.GetAwaiter().GetResult();
        }
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
    internal void TryFinishDraining()
    {
        (NativeThreadPool Pool, Task? Open) look = (this, null);
        if (Roster.TryClose(static (ref (NativeThreadPool Pool, Task? Open) look, RosterCounts counts) => look.Pool.IsNothingLeft(counts, ref look.Open), ref look))
        {
            AfterStop();
            return;
        }

        // Not under the lock: it may be complete by now.
        look.Open?.ContinueWith(
            static (_, pool) => ((NativeThreadPool)pool!).TryFinishDraining(),
            this,
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>
    /// Whether a draining pool has nothing left; it has stopped then. Under the roster's lock: one look at a time, and no
    /// thread comes or goes meanwhile.
    /// </summary>
    /// <param name="counts">The roster's.</param>
    /// <param name="awaited">An operation that the caller is to wait for, if it is all that keeps the pool.</param>
    private bool IsNothingLeft(RosterCounts counts, ref Task? awaited)
    {
        if (!IsDraining)
        {
            return false; // the shutdown comes here after it has begun to drain; after the stop each ended thread passes it on
        }

        // A worker that is announced runs nothing until its next interlocked access to the word; what it published
        // before is visible after this read.
        ulong word = Signal.Word;
        long completed = CompletedWorkItemCount;
        Interlocked.MemoryBarrierProcessWide();
        Chaos.Point("NativeThreadPool.IsNothingLeft, word read");
        if ((word & (WorkerSignal.Requested | WorkerSignal.Lingering)) != 0)
        {
            return false; // whom the request wakes, starts or calls back, or who finds it not needed; whoever lingers
        }

        if (WorkerSignal.IdleCount(word) != counts.AtWork)
        {
            return false; // each that runs, before it parks, in the reserve too, and as the last act of its thread
        }

        if (PendingWorkItemCount != 0)
        {
            return false; // who takes it; it was published with a request, or one follows, or the monitor tries to start a thread
        }

        // Added by running workers only. One that ran meanwhile is not announced any more, or has completed something
        // since. No other bit may count: the monitor, for one, changes its own at any time, and calls nobody.
        Chaos.Point("NativeThreadPool.IsNothingLeft, nothing pending");
        Task? open = OpenOperations.FindOne();
        Chaos.Point("NativeThreadPool.IsNothingLeft, operations looked for");
        if (((Signal.Word ^ word) & WorkerSignal.WhoRuns) != 0 || CompletedWorkItemCount != completed)
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
        Volatile.Write(ref _state, State.Stopped);
        return true;
    }

    /// <summary>Called by each ended thread.</summary>
    private void AfterThreadLeft()
    {
        if (IsStopped)
        {
            PassStopOn();
            CompleteIfDrainedAndGone();
        }
        else if (IsDraining)
        {
            TryFinishDraining();
        }
    }

    /// <summary>The token was cancelled: drops what has not begun, and does not wait for what runs (T114).</summary>
    private void StopNow()
    {
        NativeThreadPool pool = this;
        if (!Roster.TryClose(static (ref NativeThreadPool pool, RosterCounts counts) => pool.StopByToken(counts), ref pool))
        {
            return;
        }

        Chaos.Point("NativeThreadPool.StopNow, stopped");

        // A worker that queues at this moment either sees the stop after its push, or its push is seen below.
        Interlocked.MemoryBarrierProcessWide();
        var items = new List<WorkItem>();
        External.TakeAll(items);
        foreach (Worker worker in Roster.Workers)
        {
            worker.Queues.TakeAll(items);
        }

        _stopped.TrySetResult(Abandon(items));
        AfterStop();
    }

    /// <summary>Under the roster's lock.</summary>
    private bool StopByToken(RosterCounts counts)
    {
        _stoppedByToken = true;
        _abandoned = counts.AtWork - WorkerSignal.IdleCount(Signal.Word) + LongRunningThreadCount; // the parked ones have no item
        Volatile.Write(ref _state, State.Stopped);
        return true;
    }

    private void AfterStop()
    {
        Places?.Close(toOutside: false);
        Chaos.Point("NativeThreadPool.AfterStop");
        RunLeftoversElsewhere(); // what a late producer published after the last look
        PassStopOn();
        CompleteIfDrainedAndGone();
        Roster.ReleaseMonitor();
        _stopTokens.Release();
    }

    /// <summary>
    /// A drained pool has stopped when its last thread has gone. One that a token stopped waits for no thread; only the
    /// stop itself knows how many items it dropped.
    /// </summary>
    private void CompleteIfDrainedAndGone()
    {
        if (!Volatile.Read(ref _stoppedByToken) && ThreadCount == 0)
        {
            _stopped.TrySetResult(0);
        }
    }

    /// <summary>Wakes one parked worker; it sees that the pool has stopped, and wakes the next. The reserve is told at once.</summary>
    private void PassStopOn()
    {
        Roster.CallBackAll();
        Chaos.Point("NativeThreadPool.PassStopOn, reserve told");
        if (WorkerSignal.IdleCount(Signal.Word) != 0)
        {
            Signal.SetGrowable(false);
            Signal.Request();
        }
    }

    /// <summary>Drops raw items and tells groups and loops; tasks, and what goes on with accepted work, run elsewhere. Returns how many were dropped.</summary>
    private long Abandon(List<WorkItem> items)
    {
        long dropped = 0;
        foreach (WorkItem item in items)
        {
            // Who queued it decides, and never the kind of its state: a raw item may have a task as its state.
            if (Scheduler.Executes(item.Callback) || !ItemContext.AllowsDrop(item.Context))
            {
                RunElsewhere(item);
                continue;
            }

            dropped++;
            ItemContext.Drop(item.Context, this);
            (item.State as IDroppable)?.Drop();
        }

        return dropped;
    }

    /// <summary>Runs what was accepted but found nobody on the runtime's pool: an item is never lost silently.</summary>
    private void RunLeftoversElsewhere()
    {
        var items = new List<WorkItem>();
        External.TakeAll(items);
        foreach (WorkItem item in items)
        {
            RunElsewhere(item);
        }
    }

    private void RunElsewhere(Action<object?> callback, object? state, object? context) =>
        RunElsewhere(new WorkItem { Callback = callback, State = state, Context = context });

    private void RunElsewhere(WorkItem item)
    {
        Interlocked.Increment(ref _ranElsewhere);
        ThreadPool.UnsafeQueueUserWorkItem(
            static orphan => OrphanedItem.Run(orphan.Item, orphan.Handler), (Item: item, Handler: _options.UnhandledException), preferLocal: false);
    }

    private void ThrowIfShutDown()
    {
        if (Volatile.Read(ref _state) != State.Running)
        {
            throw ShutDownError();
        }
    }

    internal ObjectDisposedException ShutDownError() => new(ToString(), "The pool is shutting down and accepts no more work.");
}
