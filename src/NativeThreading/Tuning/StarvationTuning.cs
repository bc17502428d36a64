namespace NativeThreading.Tuning;

/// <summary>When a worker counts as blocked, how many threads are added, and how often the monitor samples. See <see cref="SpinTuning"/> for the
/// form. Pauses
/// of the collector do not count.</summary>
internal static class StarvationTuning
{
    /// <summary>Uninterrupted waiting that proves a worker blocked, by run state and CPU time. From 1 ms on neither a false alarm nor a miss was seen
    /// (T82); this is twice that. Row: starvation, blocked; overload shows the price of a smaller value.</summary>
    public static readonly TimeSpan Proof = TimeSpan.FromMilliseconds(2);

    /// <summary>Time that a worker spends mostly in short waits, without a completed item. Ten times as long as a proof: an item that reads a little
    /// from many files waits like this, too, and completes soon. Row: starvation, blocked by short waits.</summary>
    public static readonly TimeSpan ProofOfShortWaits = TimeSpan.FromMilliseconds(20);

    /// <summary>Time without CPU use and without a completed item that proves a worker blocked if run states cannot be read. Long, because a thread
    /// that lacks a processor appears the same. No row:
    /// such systems have no tables.</summary>
    public static readonly TimeSpan ProofWithoutState = TimeSpan.FromMilliseconds(50);

    /// <summary>Time of waiting at each sample that proves a worker blocked if CPU times are estimated from samples: five in a row. A worker that
    /// waits half of its time, in short waits, appears blocked at one of 32 samples. Row: core, blocked/32.</summary>
    public static readonly TimeSpan ProofByEstimate = TimeSpan.FromMilliseconds(4);

    /// <summary>Consecutive samples that must find a blocked worker running if CPU times are estimated from samples: as many as prove a wait. A
    /// worker that polls is found running at one sample in ten. No row shows it.</summary>
    public const int RunningByEstimate = 5;

    /// <summary>If the processor times of threads cannot be read, a process that has used little processor time for this long does not compute. Row:
    /// core,
    /// blocked/32/socket.</summary>
    public static readonly TimeSpan QuietProcess = TimeSpan.FromMilliseconds(20);

    /// <summary>Little is less than one part in this many, of one processor. A process that lacks processors appears the same, so this is far less
    /// than a fair share among a few. Row: as QuietProcess.</summary>
    public const int QuietParts = 16;

    /// <summary>Time without a completed item that proves a worker blocked if CPU times cannot be read either. A long item appears the same. No row,
    /// as above.</summary>
    public static readonly TimeSpan ProofWithoutCpu = TimeSpan.FromMilliseconds(500);

    /// <summary>A thread whose CPU time is less than one part in this many of the time mostly waits. Row: starvation, overload.</summary>
    public const int BusyParts = 4;

    /// <summary>Threads that a pass starts for each worker that it finds blocked: the items after it are expected to block as well. Row: starvation,
    /// blocked/200. Unproven beyond two processors.</summary>
    public const int StartsPerBlocked = 3;

    /// <summary>How long threads beyond <c>MaxThreads</c> may run: until these, too, could be proven blocked. Row: starvation,
    /// recovery.</summary>
    public static readonly TimeSpan Overshoot = 2 * Proof;

    /// <summary>Between the monitor's samples while a worker may be blocked: half of a proof. Row: starvation, blocked.</summary>
    public static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);

    /// <summary>Between its samples of a loop that hands over and makes progress: half of the time in which a block must be detected is left for the
    /// proof. No
    /// row shows it.</summary>
    public static readonly TimeSpan LoopLook = TimeSpan.FromMilliseconds(2);

    /// <summary>Processor time of one callback after which another thread takes over a loop that allows it. A smaller value costs a thread for each
    /// callback that takes longer; a larger one is time for which all other work of the loop waits. Row: kestrel, unfair.</summary>
    public static readonly TimeSpan LoopComputing = TimeSpan.FromMilliseconds(10);

    /// <summary>Between its samples while all workers make progress. A sample takes some 10 us of CPU time. Row: cohost.</summary>
    public static readonly TimeSpan Later = TimeSpan.FromMilliseconds(8);

    /// <summary>Between its samples while the limits allow no further thread. No row shows it.</summary>
    public static readonly TimeSpan Powerless = TimeSpan.FromMilliseconds(32);

    /// <summary>How long an item that continues work waits while all threads of a pool at its limit are blocked, until one of them may be waiting for
    /// it. Long, because most waits of blocked threads end by themselves. No row shows it.</summary>
    public static readonly TimeSpan RescueDelay = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a rescue thread stays without work. While there is one, such items run at the monitor's next check: a pool that was rescued
    /// usually needs a rescue again. No row shows it.</summary>
    public static readonly TimeSpan RescueStay = TimeSpan.FromSeconds(1);

    /// <summary>Between two messages of rescues in one pool. No row shows it.</summary>
    public static readonly TimeSpan RescueMessages = TimeSpan.FromSeconds(10);

    /// <summary>Slots of the injector queue that the monitor reads in one pass: a quarter of a millisecond, because other pools wait meanwhile. No
    /// row shows it.</summary>
    public const int SortedAtOnce = 1 << 15;

    /// <summary>Samples without waiting work after which the monitor stops monitoring a pool. Row: quiet.</summary>
    public const int QuietLooks = 4;

    /// <summary>The part of an overslept time that counts: a timer's slack. Less than half of <see cref="Proof"/>, so that one sample that was
    /// planned <see cref="Soon"/> proves nothing by itself: a host that takes both processors away prolongs every short sleep, and the monitor may be
    /// the first to wake. Row: starvation, blocked.</summary>
    public static readonly TimeSpan OversleepTolerance = TimeSpan.FromMilliseconds(0.5);

    /// <summary>The part of the time before one sample that counts as waited: less than <see cref="Proof"/>, so that a proof takes two samples.
    /// Otherwise a single sample that was planned <see cref="Later"/> would be a proof, although the host took the processors away for a part of the
    /// time. Row: starvation,
    /// blocked.</summary>
    public static readonly TimeSpan MostOfOneLook = Soon + OversleepTolerance;

    /// <summary>How long the monitor's thread stays after the last pool, because often another pool follows. No row shows it.</summary>
    public static readonly TimeSpan MonitorStay = TimeSpan.FromSeconds(1);

    /// <summary>From the monitor's first start to the work that can wait: by then a starting process needs its processors less, and a measured wake
    /// is closer to the wakes that follow. Row: startup/first-item.</summary>
    public static readonly TimeSpan LateStartAfter = TimeSpan.FromMilliseconds(100);

    /// <summary>From a failed thread start to the next attempt: a starved system must not get a request at every enqueue. No row shows it.</summary>
    public static readonly TimeSpan StartRetry = TimeSpan.FromMilliseconds(100);

    /// <summary>After this time a request that no worker has acknowledged counts as lost. Long, because a thread may be late on a loaded machine, and
    /// short enough that a stalled service recovers before people notice. No row: it repairs defects.</summary>
    public static readonly TimeSpan RequestExpiry = TimeSpan.FromSeconds(1);

    /// <summary>After this time a producer registers the pool of an unacknowledged request with the monitor. No row, as above.</summary>
    public static readonly TimeSpan LateRequest = TimeSpan.FromMilliseconds(100);

    /// <summary>A request that seems lost must stay unchanged for this long before it is repeated: after the whole process was stopped every request
    /// seems old, and is soon acknowledged. No row, as above.</summary>
    public static readonly TimeSpan RepairConfirmation = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the checks of a worker that waits for a group and has no stack left to run items. No row shows it.</summary>
    public static readonly TimeSpan StacklessWait = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the monitor's snapshots of the ends of the queues, for the age of the oldest item. Row: cohost, with AgeLooks off.</summary>
    public static readonly TimeSpan AgeLook = TimeSpan.FromMilliseconds(100);

    /// <summary>The precision of ages: two kept snapshots of a queue differ by at least one part in this many of the time that all of them span. No
    /// row shows
    /// it.</summary>
    public const int AgeParts = 16;
}
