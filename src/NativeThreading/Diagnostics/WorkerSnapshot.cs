namespace NativeThreading.Diagnostics;

/// <summary>What one worker of a pool did when it was looked at.</summary>
public sealed record WorkerSnapshot
{
    /// <summary>The name of its thread.</summary>
    public required string Name { get; init; }

    /// <summary>Gets whether it is a rescue thread, beyond the pool's limits.</summary>
    public bool IsRescue { get; init; }

    /// <summary>What it does.</summary>
    public required WorkerState State { get; init; }

    /// <summary>For how long it has been in this state at least, as far as this observer has seen; <see langword="null"/> at first sight.</summary>
    public TimeSpan? InStateFor { get; init; }

    /// <summary>What it runs; <see langword="null"/> where it runs nothing, or an item that was queued before there was an observer.</summary>
    public RunningItem? Item { get; init; }

    /// <summary>The kernel's function in which it waits, of a worker that is blocked, in a region or waits for a group;
    /// <see langword="null"/> for others, and where the kernel does not tell.</summary>
    public string? WaitChannel { get; init; }

    /// <summary>Items that it has ended.</summary>
    public required long CompletedWorkItemCount { get; init; }
}
