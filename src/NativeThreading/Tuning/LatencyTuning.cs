namespace NativeThreading.Tuning;

/// <summary>
/// Measuring the latency of a wake in the managed core; all but the stack as in native/src/tuning.h, and a test compares them. See
/// <see cref="SpinTuning"/> for the form.
/// </summary>
internal static class LatencyTuning
{
    /// <summary>Wakes, of which the median counts; tuning.h. No row shows it.</summary>
    public const int Rounds = 15;

    /// <summary>Fewer tell nothing; tuning.h. No row shows it.</summary>
    public const int EnoughRounds = 5;

    /// <summary>Nanoseconds; what is shorter was no wake of an idle processor; tuning.h. Row: serial-wakeup.</summary>
    public const long ShortestNs = 5_000;

    /// <summary>Nanoseconds; nobody polls longer than that for anything; tuning.h. Row: idle, trickle.</summary>
    public const long LongestNs = 50_000;

    /// <summary>Nanoseconds, where it cannot be measured: the middle of what was seen; tuning.h. No row shows it.</summary>
    public const long FallbackNs = 25_000;

    /// <summary>Nanoseconds before each wake: the helper is parked by then, and its CPU idle; tuning.h. No row shows it.</summary>
    public const long SettleNs = 150_000;

    /// <summary>Nanoseconds; then the machine is busy, or the two share a CPU; tuning.h. No row shows it.</summary>
    public const long PatienceNs = 6_000_000;

    /// <summary>Patiences that others wait for the one that measures (T41); tuning.h. No row shows it.</summary>
    public const int WaitFactor = 5;

    /// <summary>Bytes of the helper's stack. No row shows it.</summary>
    public const int HelperStack = 128 * 1024;
}
