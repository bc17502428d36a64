namespace NativeThreading.Diagnostics;

/// <summary>A pool when it was looked at: each value was true, not all of them at once. Totals count from the pool's creation.</summary>
public sealed record PoolSnapshot
{
    /// <summary>The pool's number in the process, which no other pool has had.</summary>
    public required int Id { get; init; }

    /// <inheritdoc cref="NativeThreadPool.Name"/>
    public required string Name { get; init; }

    /// <summary>Whether it is shutting down.</summary>
    public required bool IsShuttingDown { get; init; }

    /// <inheritdoc cref="NativeThreadPool.MinThreads"/>
    public required int MinThreads { get; init; }

    /// <inheritdoc cref="NativeThreadPool.MaxThreads"/>
    public required int MaxThreads { get; init; }

    /// <inheritdoc cref="NativeThreadPool.MaxBlockedThreads"/>
    public required int MaxBlockedThreads { get; init; }

    /// <inheritdoc cref="NativeThreadPool.MaxRescueThreads"/>
    public int MaxRescueThreads { get; init; }

    /// <inheritdoc cref="NativeThreadPool.RescueThreadCount"/>
    public int RescueThreadCount { get; init; }

    /// <summary>Gets the number of times that a rescue thread was put to work beyond the limits.</summary>
    public long RescueCount { get; init; }

    /// <inheritdoc cref="NativeThreadPool.QueueLimit"/>
    public required int? QueueLimit { get; init; }

    /// <inheritdoc cref="NativeThreadPool.LongRunningThreadCount"/>
    public required int LongRunningThreadCount { get; init; }

    /// <summary>Items that wait in the queues.</summary>
    public required long QueueLength { get; init; }

    /// <inheritdoc cref="NativeThreadPool.OldestWorkItemAge"/>
    public required TimeSpan OldestWorkItemAge { get; init; }

    /// <summary>Items that have ended.</summary>
    public required long CompletedWorkItemCount { get; init; }

    /// <summary>Threads that were put to work in place of blocked ones.</summary>
    public required long ReplacementCount { get; init; }

    /// <summary>Items that were refused because the queue was full.</summary>
    public required long RefusalCount { get; init; }

    /// <summary>Times a worker took items from another one's queues.</summary>
    public required long StealCount { get; init; }

    /// <summary>Parked threads that were woken for work.</summary>
    public required long WakeCount { get; init; }

    /// <summary>How long the items waited that began since this observer's snapshot before, of those that were queued while there was an
    /// observer; <see langword="null"/> where none began.</summary>
    public required QueueWaits? QueueWaits { get; init; }

    /// <summary>Its workers, by their names' numbers.</summary>
    public required IReadOnlyList<WorkerSnapshot> Workers { get; init; }
}
