using NativeThreading.Async;
using NativeThreading.Lifecycle;

namespace NativeThreading;

/// <summary>Shutting down: refuse entry, finish what was begun, let the threads go.</summary>
public sealed partial class NativeThreadPool
{
    private readonly PoolLifecycle _lifecycle;
    private LifecycleState _state;

    /// <summary>
    /// Tasks that became ready after the pool had stopped and ran on the runtime's pool instead, so that no async method
    /// hangs because its pool is gone; and items that another thread queued at the very moment of the stop.
    /// </summary>
    public long RanElsewhereCount => Leftovers.RanElsewhereCount;

    /// <summary>
    /// Items that ran when the token of <see cref="ShutdownAsync"/> was cancelled; 0 before, and where the pool could finish.
    /// Nobody waits for them.
    /// </summary>
    public int AbandonedWorkItemCount => _lifecycle.AbandonedCount;

    /// <summary>The state word; changed by the lifecycle alone.</summary>
    internal ref LifecycleState State => ref _state;

    /// <summary>What was accepted and cannot run here any more.</summary>
    internal Leftovers Leftovers { get; }

    /// <summary>Operations that a shutdown waits for.</summary>
    internal OpenOperations OpenOperations { get; } = new();

    internal bool IsDraining => _state.IsDraining;

    internal bool IsStopped => _state.IsStopped;

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

        return _lifecycle.BeginShutdown(cancellationToken);
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

    internal void TryFinishDraining() => _lifecycle.TryFinishDraining();

    internal void PassStopOn() => _lifecycle.PassStopOn();

    private void ThrowIfShutDown()
    {
        if (_state.IsEnding)
        {
            throw ShutDownError();
        }
    }

    internal ObjectDisposedException ShutDownError() => new(ToString(), "The pool is shutting down and accepts no more work.");
}
