namespace NativeThreading.EventLoops.Turns;

/// <summary>How much an event loop does in one turn, and how much it keeps for later. See <see cref="SpinTuning"/> for the form.</summary>
internal static class LoopTuning
{
    /// <summary>Posted callbacks in a turn: a flood of callbacks delays timers and descriptors by no more than these. Row: eventloop, turn.</summary>
    public const int CallbacksPerTurn = 256;

    /// <summary>Events that a poll takes, 16 KB: a thousand timers that are due at once. Row: eventloop, timers due at once.</summary>
    public const int EventsPerPoll = 1024;

    /// <summary>Segments in one gathered write, 1 KB of stack; further ones wait for the next call. Row: echo.</summary>
    public const int GatheredSegments = 64;

    /// <summary>Unused offload items that the loop's thread keeps. Row: eventloop, offload.</summary>
    public const int OwnOffloadItems = 1024;

    /// <summary>Unused offload items kept for other threads. Row: eventloop, offload.</summary>
    public const int SharedOffloadItems = 1024;

    /// <summary>Timers and registrations before the table of targets grows. No row shows it.</summary>
    public const int TargetCapacity = 16;

    /// <summary>Between two checks of a thread that joins a loop's thread, which ends within microseconds. No row shows it.</summary>
    public static readonly TimeSpan JoinStep = TimeSpan.FromMilliseconds(50);
}
