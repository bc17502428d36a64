namespace NativeThreading.Platform;

/// <summary>NTH_SIGNAL_*: the fields of the state word, which is the same in both cores.
/// docs/contributors/architecture/queues-and-state-word.md lists the code that changes them.</summary>
internal static class SignalWord
{
    public const ulong Requested = 1 << 0;
    public const ulong Lingering = 1 << 1;
    public const ulong Sentinel = 1 << 2;
    public const ulong Growable = 1 << 3;
    public const ulong Locked = 1 << 4;
    public const ulong WakeOwed = 1 << 5;
    public const ulong Unmonitored = 1 << 6;
    public const int IdleShift = 16;
    public const ulong IdleOne = 1UL << IdleShift;
    public const ulong IdleMask = 0xFFFFUL << IdleShift;
    public const int StampShift = 32;
    public const ulong StampMask = (ulong)uint.MaxValue << StampShift;
}

/// <summary>NTH_REQUEST_*: what a request led to.</summary>
internal enum RequestOutcome
{
    /// <summary>NTH_REQUEST_NOT_NEEDED.</summary>
    NotNeeded = 0,

    /// <summary>NTH_REQUEST_WOKE.</summary>
    Woke = 1,

    /// <summary>NTH_REQUEST_START_THREAD.</summary>
    StartThread = 2,
}
