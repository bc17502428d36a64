using System.Diagnostics;

namespace NativeThreading.Tuning;

/// <summary>When a worker looks up from its own queues, how much it takes at once, and what it leaves to others. See <see cref="SpinTuning"/> for the
/// form. Times are in ticks of <see cref="Stopwatch"/> where no type says otherwise.</summary>
internal static class WorkerTuning
{
    /// <summary>Items between two looks at the other queues, at most. A look costs what two items do. Row: quwi, local.</summary>
    public const int MostPicksPerLook = 64;

    /// <summary>Between two looks at the other queues, at most: 1 ms. For so long another queue may starve (T27). Row: cohost, alone/latency-p99.</summary>
    public static readonly long TimeBetweenLooks = SpinTuning.Ticks(1_000_000);

    /// <summary>Items of the injector queue that a look runs at most; those of a short time, if they are long. No row shows it.</summary>
    public const int MostInjectedPerLook = 16;

    /// <summary>Of so many items that a worker starts, at least one is of a lower priority than the others. The promise of <see cref="WorkPriority"/>.</summary>
    public const int PicksPerNeglected = 64;

    /// <summary>Items between two looks at the clock while others hold older ones. Row: order, 1us/worst.</summary>
    public const int PicksPerCheck = 4;

    /// <summary>From here on an item is long, 12.5 us: what is run of them between two looks at the clock takes half of what an item may be late.
    /// Row: order, 20us/before.</summary>
    public static readonly long LongItem = SpinTuning.Ticks(12_500);

    /// <summary>A moved batch that is not over after 100 us is late: many times what it was made for. Row: order, 1us/worst.</summary>
    public static readonly long LateBatch = SpinTuning.Ticks(100_000);

    /// <summary>Between two searches of a worker for a late batch of others, at most: a quarter of the time after which one is late. The next search
    /// comes sooner where a batch becomes late that the last one has seen. Row: scale, fan-out/holder-looks. Unproven beyond two
    /// processors.</summary>
    public static readonly long TimeBetweenSearches = LateBatch / 4;

    /// <summary>What a moved batch may take, 6 us. To move an item costs a tenth of a microsecond, so that longer batches gain little; and all of a
    /// batch is late when its items turn out to be long ones, six of 1 us fewer than thirty. Row: order, 100us/before.</summary>
    public static readonly long BatchTime = SpinTuning.Ticks(6_000);

    /// <summary>Items of the global order that a worker moves at once, at most. Row: quwi, global. Unproven beyond two processors.</summary>
    public const int MostPerBatch = 128;

    /// <summary>How long the only item of another worker must lie still before it may be stolen, 2 us. Its owner is usually about to take it;
    /// stealing it under its hands makes a chain of items three times slower. Row: quwi, global/depth=512/parallelism=1.</summary>
    public static readonly long LoneItemAge = SpinTuning.Ticks(2_000);

    /// <summary>Between two looks of a lingering worker at others' queues, 1 us, for the same reason (T64). Row: serial-wakeup.</summary>
    public static readonly long TimeBetweenLooksAtOthers = SpinTuning.Ticks(1_000);

    /// <summary>Until the sentinel's first look; each later one comes after twice the time. Row: quwi, global/depth=512/parallelism=1.</summary>
    public static readonly TimeSpan FirstSentinelLook = TimeSpan.FromMicroseconds(50);

    /// <summary>The longest of these times. So long may an item wait that was queued alone by a worker that then blocks. Row: as FirstSentinelLook.</summary>
    public static readonly TimeSpan LastSentinelLook = TimeSpan.FromMilliseconds(1);

    /// <summary>A run, from a wake to the next park, that is too short for a thread to have waited and interrupted an item of it: 100 us. Row: idle,
    /// trickle/100.</summary>
    public static readonly long ShortRun = SpinTuning.Ticks(100_000);

    /// <summary>Short runs after which a worker looks for a leftover interrupt all the same. Row: idle, trickle/100.</summary>
    public const int MostRunsBetweenDrops = 64;
}
