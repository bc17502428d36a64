namespace NativeThreading.Tuning;

/// <summary>When a worker counts as blocked, how many are added, and how often the monitor looks. See <see cref="SpinTuning"/> for the form. Pauses
/// of the collector do not count.</summary>
internal static class StarvationTuning
{
    /// <summary>Uninterrupted waiting that proves a worker blocked, by run state and CPU time. From 1 ms on neither a false alarm nor a miss was seen
    /// (T82); this is twice that. Row: starvation, blocked; overload is the price of less.</summary>
    public static readonly TimeSpan Proof = TimeSpan.FromMilliseconds(2);

    /// <summary>Mostly waiting, in short waits, without an ended item. Ten times as long as a proof: an item that reads a little from many files
    /// waits like this as well, and ends soon. Row: starvation, blocked by short waits.</summary>
    public static readonly TimeSpan ProofOfShortWaits = TimeSpan.FromMilliseconds(20);

    /// <summary>No CPU time and no ended item, where run states cannot be read. Long, because a thread that lacks a processor looks the same. No row:
    /// such systems have no tables.</summary>
    public static readonly TimeSpan ProofWithoutState = TimeSpan.FromMilliseconds(50);

    /// <summary>Waiting at each look, where CPU times are estimated from looks: five in a row. A worker that waits half of its time, in short waits,
    /// looks like that at one of 32. Row: core, blocked/32.</summary>
    public static readonly TimeSpan ProofByEstimate = TimeSpan.FromMilliseconds(4);

    /// <summary>Looks in a row that find a blocked worker running, where CPU times are estimated from looks: as many as prove a wait. One that polls
    /// is met running at one look in ten. No row shows it.</summary>
    public const int RunningByEstimate = 5;

    /// <summary>A process that has used little processor time for so long does not compute, where that of its threads cannot be read. Row: core,
    /// blocked/32/socket.</summary>
    public static readonly TimeSpan QuietProcess = TimeSpan.FromMilliseconds(20);

    /// <summary>Little is less than one part in this many, of one processor. A process that lacks processors looks the same, so it is far less than a
    /// fair share among a few. Row: as QuietProcess.</summary>
    public const int QuietParts = 16;

    /// <summary>No ended item, where CPU times cannot be read either. A long item looks the same. No row, as above.</summary>
    public static readonly TimeSpan ProofWithoutCpu = TimeSpan.FromMilliseconds(500);

    /// <summary>A thread whose CPU time is less than one part in this many of the time mostly waits. Row: starvation, overload.</summary>
    public const int BusyParts = 4;

    /// <summary>Threads that a pass starts for each worker that it finds blocked: the items behind it are expected to block as well. Row: starvation,
    /// blocked/200. Unproven beyond two processors.</summary>
    public const int StartsPerBlocked = 3;

    /// <summary>For how long threads beyond <c>MaxThreads</c> may run: until these, too, could be proven blocked. Row: starvation,
    /// recovery.</summary>
    public static readonly TimeSpan Overshoot = 2 * Proof;

    /// <summary>Between the monitor's looks while a worker may be blocked: half of a proof. Row: starvation, blocked.</summary>
    public static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);

    /// <summary>Between its looks at a loop that hands over and gets on: half of the time in which a block is to be found is left for the proof. No
    /// row shows it.</summary>
    public static readonly TimeSpan LoopLook = TimeSpan.FromMilliseconds(2);

    /// <summary>Processor time of one callback after which another thread takes over a loop that allows it. Less costs a thread for each callback
    /// that takes longer; more is time for which everything else on the loop waits. Row: kestrel, unfair.</summary>
    public static readonly TimeSpan LoopComputing = TimeSpan.FromMilliseconds(10);

    /// <summary>Between its looks while all workers make progress. A look takes some 10 us of CPU time. Row: cohost.</summary>
    public static readonly TimeSpan Later = TimeSpan.FromMilliseconds(8);

    /// <summary>Between its looks while the limits allow no further thread. No row shows it.</summary>
    public static readonly TimeSpan Powerless = TimeSpan.FromMilliseconds(32);

    /// <summary>How long an item that continues work waits while all threads of a pool at its limit are blocked, until it counts as what they may
    /// wait for. Long, because most waits of blocked threads end by themselves. No row shows it.</summary>
    public static readonly TimeSpan RescueDelay = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a rescue thread stays without work. While there is one, such items are run at the monitor's next look: a pool that was
    /// rescued usually needs it again. No row shows it.</summary>
    public static readonly TimeSpan RescueStay = TimeSpan.FromSeconds(1);

    /// <summary>Between two messages of rescues in one pool. No row shows it.</summary>
    public static readonly TimeSpan RescueMessages = TimeSpan.FromSeconds(10);

    /// <summary>Slots of the injector queue that the monitor looks at in one look: a quarter of a millisecond, for other pools wait for its look. No
    /// row shows it.</summary>
    public const int SortedAtOnce = 1 << 15;

    /// <summary>Looks without waiting work after which the monitor gives a pool back. Row: quiet.</summary>
    public const int QuietLooks = 4;

    /// <summary>How much of what the monitor overslept counts: a timer's slack. Less than half of <see cref="Proof"/>, so that one look that was
    /// planned <see cref="Soon"/> proves nothing by itself: a host that takes both processors away prolongs every short sleep, and the monitor may be
    /// the first to wake. Row: starvation, blocked.</summary>
    public static readonly TimeSpan OversleepTolerance = TimeSpan.FromMilliseconds(0.5);

    /// <summary>How much of the time before one look counts as waited: less than <see cref="Proof"/>, so that it takes two looks. Of a look that was
    /// planned <see cref="Later"/> the whole would be a proof, although the host took the processors away for a part of it. Row: starvation,
    /// blocked.</summary>
    public static readonly TimeSpan MostOfOneLook = Soon + OversleepTolerance;

    /// <summary>For how long the monitor's thread stays after the last pool, because often another one follows. No row shows it.</summary>
    public static readonly TimeSpan MonitorStay = TimeSpan.FromSeconds(1);

    /// <summary>From the monitor's first start to the work that can wait: by then a starting process needs its processors less, and a measured wake
    /// is closer to the wakes that follow. Row: startup/first-item.</summary>
    public static readonly TimeSpan LateStartAfter = TimeSpan.FromMilliseconds(100);

    /// <summary>From a failed start of a thread to the next attempt: a starved system is not asked at every enqueue. No row shows it.</summary>
    public static readonly TimeSpan StartRetry = TimeSpan.FromMilliseconds(100);

    /// <summary>After this time a request that no worker has acknowledged counts as lost. Long, because a thread may be late on a loaded machine, and
    /// short enough that a stalled service recovers before people notice. No row: it repairs defects.</summary>
    public static readonly TimeSpan RequestExpiry = TimeSpan.FromSeconds(1);

    /// <summary>After this time a producer brings the pool of an unacknowledged request to the monitor. No row, as above.</summary>
    public static readonly TimeSpan LateRequest = TimeSpan.FromMilliseconds(100);

    /// <summary>A request that looks lost must stand unchanged for this long before it is repeated: after the whole process was stopped every request
    /// looks old, and is soon acknowledged. No row, as above.</summary>
    public static readonly TimeSpan RepairConfirmation = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the looks of a waiter for a group that has no stack to help with. No row shows it.</summary>
    public static readonly TimeSpan StacklessWait = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the monitor's looks at the ends of the queues, for the age of the oldest item. Row: cohost, with AgeLooks off.</summary>
    public static readonly TimeSpan AgeLook = TimeSpan.FromMilliseconds(100);

    /// <summary>The precision of ages: snapshots of a queue are kept apart by one part in this many of the time that they span. No row shows
    /// it.</summary>
    public const int AgeParts = 16;
}
