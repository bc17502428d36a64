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

    /// <inheritdoc cref="NativeThreadPool.ExpiredWorkItemCount"/>
    public long ExpiredWorkItemCount { get; init; }

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

/// <summary>What one worker of a pool did when it was looked at.</summary>
public sealed record WorkerSnapshot
{
    /// <summary>The name of its thread.</summary>
    public required string Name { get; init; }

    /// <summary>Gets whether it is a rescue thread, beyond the pool's limits.</summary>
    public bool IsRescue { get; init; }

    /// <summary>What it does.</summary>
    public required WorkerState State { get; init; }

    /// <summary>For how long it has been in this state: since the pool detected it, if it is blocked, and otherwise since this observer saw it
    /// first; <see langword="null"/> if nothing is known yet.</summary>
    public TimeSpan? InStateFor { get; init; }

    /// <summary>Gets whether the state began before this observer saw the worker, so that it may have lasted longer than <see cref="InStateFor"/>.</summary>
    public bool IsAtLeast { get; init; }

    /// <summary>What it runs; <see langword="null"/> where it runs nothing, or an item that was queued before there was an observer.</summary>
    public RunningItem? Item { get; init; }

    /// <summary>The kernel's function in which it waits, of a worker that is blocked, in a region or waits for a group;
    /// <see langword="null"/> for others, and where the kernel does not tell.</summary>
    public string? WaitChannel { get; init; }

    /// <summary>Items that it has ended.</summary>
    public required long CompletedWorkItemCount { get; init; }
}

/// <summary>What a worker of a pool does.</summary>
public enum WorkerState
{
    /// <summary>Its thread is being started.</summary>
    Starting,

    /// <summary>It runs, or looks for work.</summary>
    Running,

    /// <summary>It waits in the kernel: the pool has found it blocked, or the observer has. The observer does where the thread has used no
    /// processor time for 2 ms or since the snapshot before, has ended no item and waits.</summary>
    Blocked,

    /// <summary>It is in a region of <see cref="NativeThreadPool.EnterBlockingRegion"/>.</summary>
    InBlockingRegion,

    /// <summary>It waits for a <see cref="WorkGroup"/>, and has nothing of that to run.</summary>
    WaitingForGroup,

    /// <summary>It has no work, and sleeps until it is woken.</summary>
    Parked,

    /// <summary>It sleeps because enough others run, and is called back where one of them blocks.</summary>
    InReserve,
}

/// <summary>The pools and event loops of the process when they were looked at, in the order of their creation. What has stopped is not
/// among them.</summary>
/// <param name="Elapsed">The time since this observer's snapshot before, or since the observer was created.</param>
/// <param name="Pools">The pools.</param>
/// <param name="Loops">The event loops.</param>
public sealed record ThreadSnapshot(TimeSpan Elapsed, IReadOnlyList<PoolSnapshot> Pools, IReadOnlyList<LoopSnapshot> Loops);

/// <summary>A work item that runs, by the code that it came from.</summary>
/// <param name="Type">The type that declares the method, with its namespace; <see langword="null"/> where it cannot be told.</param>
/// <param name="Method">The method: of a lambda the one that contains it, of an async method that method. <see langword="null"/> where it
/// cannot be told, as of a task that the framework has made of a delegate.</param>
/// <param name="Duration">For how long it has run.</param>
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

/// <summary>An event loop when it was looked at. "Since the snapshot before" means this observer's; in its first snapshot of a loop those
/// values are zero.</summary>
public sealed record LoopSnapshot
{
    /// <summary>The loop's number in the process, which no other loop has had.</summary>
    public required int Id { get; init; }

    /// <summary>The loop's name.</summary>
    public required string Name { get; init; }

    /// <summary>Callbacks that were posted and have not started.</summary>
    public required long PendingCallbackCount { get; init; }

    /// <summary>Turns since the snapshot before.</summary>
    public required long TurnCount { get; init; }

    /// <summary>The longest of them, from the loop's waking to its next sleep; the one that runs included.</summary>
    public required TimeSpan LongestTurn { get; init; }

    /// <summary>For how long the turn that runs has been running; zero while the loop sleeps. Counted from the loop's waking, or from the moment
    /// at which the first observer came, if that was later. One that keeps growing is a callback that holds up its loop.</summary>
    public TimeSpan RunningTurn { get; init; }

    /// <summary>The share of the time in which it was awake: 0 to 1.</summary>
    public required double BusyShare { get; init; }

    /// <summary>Timers that are armed.</summary>
    public required int ArmedTimerCount { get; init; }

    /// <summary>Descriptors that are registered.</summary>
    public required int RegistrationCount { get; init; }
}
