using System.Diagnostics;

namespace NativeThreading.Tuning;

/// <summary>How long threads poll before they yield or park. A poll is a check and <see cref="Thread.SpinWait"/>(1): some 40 ns on the machine of the
/// tables.</summary>
/// <remarks>The classes of this folder hold the numbers that can change without a change to the promises of the library. Each comment has the unit,
/// the reason, and the row of the tables that shows the gain. All rows come from two processors; "unproven" marks numbers that may be wrong for more.
/// Those marked tuning.h are also in native/src/tuning.h; a test compares them.</remarks>
internal static class SpinTuning
{
    /// <summary>Failed lingers after which a pool stops lingering; tuning.h. Row: idle, trickle. Unproven beyond two processors.</summary>
    public const int MostCredit = 8;

    /// <summary>The credit of a new pool; tuning.h. Row: serial-wakeup. Unproven beyond two processors.</summary>
    public const int FirstCredit = 4;

    /// <summary>The credit that a short park returns, while a failed linger costs 1; tuning.h. Row: serial-wakeup.</summary>
    public const int GapCredit = 2;

    /// <summary>A park is short if it takes less than this many linger times; tuning.h. Row: idle, trickle.</summary>
    public const int GapFactor = 2;

    /// <summary>Nanoseconds in which a poll never yields: passing an item between two running threads takes less; tuning.h. Row:
    /// round-trip.</summary>
    public const int FreePollingNs = 2_000;

    /// <summary>Nanoseconds between two checks of a poll: a longer time means that another thread ran on this processor; tuning.h. Row:
    /// round-trip.</summary>
    public const int LostCpuNs = 5_000;

    /// <summary>Polls that yield after a processor was lost; tuning.h. Row: cohost. Unproven beyond two processors.</summary>
    public const int CrowdedPolls = 16;

    /// <summary>Usual wakes that a yield in place of a poll may last and save nothing: a millisecond, where a time slice of another process takes
    /// three. Row: crowded, one-processor.</summary>
    public const int YieldWakes = 40;

    /// <summary>Yields that last no longer, after which one that did is forgotten. Row: crowded, one-processor/fan-out/1000.</summary>
    public const int YieldMemory = 16;

    /// <summary>Nanoseconds without such yields after two that lasted longer. No row shows it: round-trip and offload, on one processor that another
    /// process uses as well.</summary>
    public const int YieldRestNs = 20_000_000;

    /// <summary>Rounds in which a lock's waiter doubles its pause before it yields. Row: quwi, several producers. Unproven beyond two processors.</summary>
    public const int LockRounds = 10;

    /// <summary>The first of these pauses, in polls. Row: as LockRounds.</summary>
    public const int LockPause = 4;

    /// <summary>Polls of a thief for an owner that gives. A running owner passes its gate every few tens of nanoseconds; one that runs a long item
    /// costs the thief a process-wide barrier, 12 us. Row: skynet, items.</summary>
    public const int AskPolls = 60;

    /// <summary>Polls of a thief for an owner that is inside its gate or gives, before the thief withdraws or, while the owner gives, yields. Row:
    /// skynet, items. Unproven beyond two processors.</summary>
    public const int GateExitPolls = 200;

    /// <summary>Ticks after which a request that still stands is displaced by another one. A thief with a processor polls for 3 us, passes a barrier
    /// of 12 us, and polls for 8 us. No row shows it.</summary>
    public static readonly long RequestAge = Ticks(100_000);

    /// <summary>Nanoseconds that lingering is worth on the managed core, which measures nothing: a wake through the runtime takes longer than the
    /// longest time for which the native core polls. Row: round-trip.</summary>
    public const int ManagedWakeNs = 50_000;

    /// <summary>Nanoseconds that lingering is worth until the native core has measured it: the middle of what it measures. No row shows it.</summary>
    public const int UsualWakeNs = 25_000;

    /// <summary>Ticks of <see cref="Stopwatch"/> from nanoseconds.</summary>
    public static long Ticks(long nanoseconds) => (long)(nanoseconds * (Stopwatch.Frequency / 1e9));
}
