namespace NativeThreading.Diagnostics;

/// <summary>The state of a pool. The values are read one after the other, not at one moment. Totals count from the creation of the pool.</summary>
/// <example>
/// <code>
/// using var observer = new ThreadObserver();
/// foreach (PoolSnapshot snapshot in observer.TakeSnapshot().Pools)
/// {
///     Console.WriteLine($"{snapshot.Name}: {snapshot.QueueLength} items wait");
/// }
/// </code>
/// </example>
public sealed record PoolSnapshot
{
    /// <summary>Gets the number of the pool. It is unique in the process and is never used again.</summary>
    public required int Id { get; init; }

    /// <inheritdoc cref="NativeThreadPool.Name"/>
    public required string Name { get; init; }

    /// <summary>Gets whether the pool is shutting down.</summary>
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

    /// <inheritdoc cref="NativeThreadPool.AllThreadsBlockedDuration"/>
    public TimeSpan AllThreadsBlockedDuration { get; init; }

    /// <summary>Gets the number of lost wake-ups that were repeated. A value above 0 is a bug in NativeThreading.</summary>
    public long LostWakeCount { get; init; }

    /// <summary>Gets the number of times that a rescue thread was put to work beyond the limits.</summary>
    public long RescueCount { get; init; }

    /// <inheritdoc cref="NativeThreadPool.QueueLimit"/>
    public required int? QueueLimit { get; init; }

    /// <inheritdoc cref="NativeThreadPool.LongRunningThreadCount"/>
    public required int LongRunningThreadCount { get; init; }

    /// <summary>Gets the number of items that wait in the queues.</summary>
    public required long QueueLength { get; init; }

    /// <inheritdoc cref="NativeThreadPool.OldestWorkItemAge"/>
    public required TimeSpan OldestWorkItemAge { get; init; }

    /// <summary>Gets the number of completed items.</summary>
    public required long CompletedWorkItemCount { get; init; }

    /// <summary>Gets how often a thread replaced a blocked one.</summary>
    public required long ReplacementCount { get; init; }

    /// <summary>Gets the number of items that were rejected because the queue was full.</summary>
    public required long RefusalCount { get; init; }

    /// <inheritdoc cref="NativeThreadPool.ExpiredWorkItemCount"/>
    public long ExpiredWorkItemCount { get; init; }

    /// <summary>Gets how often a worker stole items from the queues of another worker.</summary>
    public required long StealCount { get; init; }

    /// <summary>Gets how often a parked thread was woken for work.</summary>
    public required long WakeCount { get; init; }

    /// <summary>Gets how long items waited that started since this observer's previous snapshot. Only items that were queued while there was an
    /// observer count. <see langword="null"/> if no such item started.</summary>
    public required QueueWaits? QueueWaits { get; init; }

    /// <summary>Gets the workers, in the order of the numbers in their names.</summary>
    public required IReadOnlyList<WorkerSnapshot> Workers { get; init; }
}

/// <summary>The state of one worker of a pool.</summary>
/// <example>
/// <code>
/// foreach (WorkerSnapshot worker in snapshot.Pools[0].Workers)
/// {
///     Console.WriteLine($"{worker.Name}: {worker.State} for {worker.InStateFor}");
/// }
/// </code>
/// </example>
public sealed record WorkerSnapshot
{
    /// <summary>Gets the name of the thread.</summary>
    public required string Name { get; init; }

    /// <summary>Gets whether it is a rescue thread, beyond the pool's limits.</summary>
    public bool IsRescue { get; init; }

    /// <summary>Gets the state of the worker.</summary>
    public required WorkerState State { get; init; }

    /// <summary>Gets how long the worker has been in this state. A blocked worker counts from the detection by the pool, any other worker from the
    /// first snapshot of this observer that has the state. <see langword="null"/> if that is not known yet.</summary>
    public TimeSpan? InStateFor { get; init; }

    /// <summary>Gets whether the state started before this observer saw the worker. It may then have lasted longer than <see cref="InStateFor"/>.</summary>
    public bool IsAtLeast { get; init; }

    /// <summary>Gets the running item; <see langword="null"/> if the worker runs no item, or an item that was queued before an observer existed.</summary>
    public RunningItem? Item { get; init; }

    /// <summary>Gets the kernel function in which the thread waits, if the worker is blocked, in a blocking region or waits for a group.
    /// <see langword="null"/> for other workers, and if the kernel does not report it.</summary>
    public string? WaitChannel { get; init; }

    /// <summary>Gets the number of items that the worker has completed.</summary>
    public required long CompletedWorkItemCount { get; init; }
}

/// <summary>The activity of a worker of a pool.</summary>
public enum WorkerState
{
    /// <summary>Its thread is being started.</summary>
    Starting,

    /// <summary>It runs an item, or searches the queues for one.</summary>
    Running,

    /// <summary>It waits in the kernel: the pool or the observer has detected that the thread is blocked. The observer detects it if the thread waits,
    /// has completed no item, and has used no processor time for 2 ms or since the previous snapshot.</summary>
    Blocked,

    /// <summary>It is in a region of <see cref="NativeThreadPool.EnterBlockingRegion"/>.</summary>
    InBlockingRegion,

    /// <summary>It waits for a <see cref="WorkGroup"/> that has no item left to run.</summary>
    WaitingForGroup,

    /// <summary>It has no work, and sleeps until it is woken.</summary>
    Parked,

    /// <summary>It sleeps because enough other workers run, and is woken if one of them blocks.</summary>
    InReserve,
}

/// <summary>The pools and event loops of the process at the time of the snapshot, in the order of their creation. Pools and loops that have stopped are not
/// included. Snapshots do not change; any thread may read them.</summary>
/// <param name="Elapsed">The time since this observer's previous snapshot, or since the observer was created.</param>
/// <param name="Pools">The pools.</param>
/// <param name="Loops">The event loops.</param>
/// <example>
/// <code>
/// using var observer = new ThreadObserver();
/// ThreadSnapshot snapshot = observer.TakeSnapshot();
/// int blocked = snapshot.Pools.Sum(pool =&gt; pool.Workers.Count(worker =&gt; worker.State == WorkerState.Blocked));
/// </code>
/// </example>
public sealed record ThreadSnapshot(TimeSpan Elapsed, IReadOnlyList<PoolSnapshot> Pools, IReadOnlyList<LoopSnapshot> Loops);

/// <summary>A running item, described by the code that it came from.</summary>
/// <param name="Type">The type that declares the method, with its namespace; <see langword="null"/> if it is not known.</param>
/// <param name="Method">The method. For a lambda it is the method that contains the lambda; for a state machine, the async method.
/// <see langword="null"/> if it is not known, for example for a task that the framework has created from a delegate.</param>
/// <param name="Duration">The time since the item started.</param>
/// <example>
/// <code>
/// string? method = snapshot.Pools[0].Workers[0].Item?.Method;
/// </code>
/// </example>
public sealed record RunningItem(string? Type, string? Method, TimeSpan Duration)
{
    /// <summary>Gets the name by which users know the item: an endpoint's route, the key of a job, and otherwise the last part of the type with
    /// the method and the number of the lambda (<c>Program.Main, 2nd lambda</c>). <see langword="null"/> if neither is known.</summary>
    public string? Name => Label ?? (Method is null ? Type : $"{Type?[(Type.LastIndexOf('.') + 1)..]}{(Type is null ? "" : ".")}{Method}{Ordinal}");

    /// <summary>Gets the number of the lambda in its method, from 1; <see langword="null"/> if the item is not a lambda.</summary>
    public int? Lambda { get; init; }

    /// <summary>Gets the name that the code gave the item; <see langword="null"/> if it gave none.</summary>
    public string? Label { get; init; }

    private string Ordinal => Lambda is not { } number ? "" : (number % 100, number % 10) switch
    {
        (11 or 12 or 13, _) => $", {number}th lambda",
        (_, 1) => $", {number}st lambda",
        (_, 2) => $", {number}nd lambda",
        (_, 3) => $", {number}rd lambda",
        _ => $", {number}th lambda",
    };
}

/// <summary>An event loop at the time of the snapshot. "The previous snapshot" is that of this observer; in its first snapshot of a loop those
/// values are zero.</summary>
/// <example>
/// <code>
/// using var observer = new ThreadObserver();
/// foreach (LoopSnapshot loop in observer.TakeSnapshot().Loops)
/// {
///     Console.WriteLine($"{loop.Name}: busy {loop.BusyShare:P0}, longest turn {loop.LongestTurn.TotalMilliseconds} ms");
/// }
/// </code>
/// </example>
public sealed record LoopSnapshot
{
    /// <summary>Gets the number of the loop. It is unique in the process and is never used again.</summary>
    public required int Id { get; init; }

    /// <summary>Gets the name of the loop.</summary>
    public required string Name { get; init; }

    /// <summary>Gets the number of callbacks that are posted and have not started.</summary>
    public required long PendingCallbackCount { get; init; }

    /// <summary>Gets the number of turns since the previous snapshot.</summary>
    public required long TurnCount { get; init; }

    /// <summary>Gets the longest turn since the previous snapshot, from the loop's wake-up to its next sleep. The running turn is included.</summary>
    public required TimeSpan LongestTurn { get; init; }

    /// <summary>Gets how long the current turn has been running; zero while the loop sleeps. It counts from the loop's wake-up, or from the creation
    /// of the first observer if that was later. A value that keeps growing means that a callback blocks its loop.</summary>
    public TimeSpan RunningTurn { get; init; }

    /// <summary>Gets the share of the time in which the loop was awake, from 0 to 1.</summary>
    public required double BusyShare { get; init; }

    /// <summary>Gets the number of armed timers.</summary>
    public required int ArmedTimerCount { get; init; }

    /// <summary>Gets the number of registered descriptors.</summary>
    public required int RegistrationCount { get; init; }
}
