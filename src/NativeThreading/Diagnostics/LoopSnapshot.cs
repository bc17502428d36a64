namespace NativeThreading.Diagnostics;

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
    /// at which somebody began to observe, if that came later. One that goes on growing is a callback that holds up its loop.</summary>
    public TimeSpan RunningTurn { get; init; }

    /// <summary>The share of the time in which it was awake: 0 to 1.</summary>
    public required double BusyShare { get; init; }

    /// <summary>Timers that are armed.</summary>
    public required int ArmedTimerCount { get; init; }

    /// <summary>Descriptors that are registered.</summary>
    public required int RegistrationCount { get; init; }
}
