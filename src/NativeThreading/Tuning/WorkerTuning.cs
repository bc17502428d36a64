using System.Diagnostics;

namespace NativeThreading.Tuning;

/// <summary>When a worker leaves its own queues, how much it takes at once, and how much it leaves to other workers. See <see cref="SpinTuning"/> for
/// the
/// form. Times are in ticks of <see cref="Stopwatch"/> unless their type says otherwise.</summary>
internal static class WorkerTuning
{
    /// <summary>The most items between two scans of the other queues. A scan costs as much as two items. Row: quwi, local.</summary>
    public const int MostPicksPerLook = 64;

    /// <summary>The longest time between two scans of the other queues: 1 ms. Another queue may starve for this long (T27). Row: cohost,
    /// alone/latency-p99.</summary>
    public static readonly long TimeBetweenLooks = SpinTuning.Ticks(1_000_000);

    /// <summary>The most items of the injector queue that a scan runs; those of a short time, if they are long. No row shows it.</summary>
    public const int MostInjectedPerLook = 16;

    /// <summary>At least one of this many items that a worker starts has a lower priority than the others. The promise of
    /// <see cref="WorkPriority"/>.</summary>
    public const int PicksPerNeglected = 64;

    /// <summary>Items between two reads of the clock while other workers hold older items. Row: order, 1us/worst.</summary>
    public const int PicksPerCheck = 4;

    /// <summary>An item that takes at least this long is a long one, 12.5 us: the items between two reads of the clock then take half of the time by
    /// which an item may be late.
    /// Row: order, 20us/before.</summary>
    public static readonly long LongItem = SpinTuning.Ticks(12_500);

    /// <summary>A moved batch that has not completed after 100 us is late: many times its planned duration. Row: order, 1us/worst.</summary>
    public static readonly long LateBatch = SpinTuning.Ticks(100_000);

    /// <summary>The longest time between two searches of a worker for a late batch of other workers: a quarter of the time after which a batch is
    /// late. The next search is earlier if a batch that the last search has seen becomes late. Row: scale, <c>fan-out/holder-looks</c>. Unproven
    /// beyond two
    /// processors.</summary>
    public static readonly long TimeBetweenSearches = LateBatch / 4;

    /// <summary>The planned duration of a moved batch, 6 us. To move an item costs a tenth of a microsecond, so longer batches gain little. If the
    /// items of a batch are longer than expected, all of them are late, and six items of 1 us are fewer than thirty. Row: order,
    /// 100us/before.</summary>
    public static readonly long BatchTime = SpinTuning.Ticks(6_000);

    /// <summary>The most items of the global order that a worker moves at once. Row: quwi, global. Unproven beyond two processors.</summary>
    public const int MostPerBatch = 128;

    /// <summary>How long the only item of another worker must stay in its queue before it may be stolen, 2 us. Its owner is usually about to take it;
    /// stealing it first makes a chain of items three times slower. Row: quwi, global/depth=512/parallelism=1.</summary>
    public static readonly long LoneItemAge = SpinTuning.Ticks(2_000);

    /// <summary>Between two scans of other queues by a lingering worker, 1 us, for the same reason (T64). Row: serial-wakeup.</summary>
    public static readonly long TimeBetweenLooksAtOthers = SpinTuning.Ticks(1_000);

    /// <summary>Until the sentinel's first scan; each later scan follows after twice the time. Row: quwi, global/depth=512/parallelism=1.</summary>
    public static readonly TimeSpan FirstSentinelLook = TimeSpan.FromMicroseconds(50);

    /// <summary>The longest of these times. An item may wait this long if a worker queues it alone and then blocks. Row: as
    /// FirstSentinelLook.</summary>
    public static readonly TimeSpan LastSentinelLook = TimeSpan.FromMilliseconds(1);

    /// <summary>How long a worker throttles wakes while there is more to run, 100 us: two to four wakes with their switches. Row: crowded,
    /// fan-out/1000.</summary>
    public static readonly long ThrottleTime = SpinTuning.Ticks(100_000);

    /// <summary>Until this long after the last throttle there is a sentinel for the next one, 3 ms: it has then scanned three times. Row: crowded,
    /// fan-out/1000.</summary>
    public static readonly long ThrottleMemory = SpinTuning.Ticks(3_000_000);

    /// <summary>A worker whose batches may have fewer items runs long ones, 3 us and more, and throttles no wakes. Row: order, 100us/before.</summary>
    public const int FewestPerThrottledBatch = 2;

    /// <summary>A run, from a wake to the next park, that is too short for a thread to have waited and interrupted an item of it: 100 us. Row: idle,
    /// trickle/100.</summary>
    public static readonly long ShortRun = SpinTuning.Ticks(100_000);

    /// <summary>Short runs after which a worker checks for a leftover interrupt all the same. Row: idle, trickle/100.</summary>
    public const int MostRunsBetweenDrops = 64;
}
