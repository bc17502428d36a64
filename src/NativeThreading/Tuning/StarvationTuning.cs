namespace NativeThreading.Tuning;

/// <summary>
/// When a worker counts as blocked, how many are added, and how often somebody looks. See <see cref="SpinTuning"/> for the
/// form. Pauses of the collector do not count.
/// </summary>
internal static class StarvationTuning
{
    /// <summary>
    /// Of uninterrupted waiting, by run state and CPU time. No error of either kind was seen from 1 ms on (T82); this is twice
    /// that. Row: starvation, blocked; overload is the price of less.
    /// </summary>
    public static readonly TimeSpan Proof = TimeSpan.FromMilliseconds(2);

    /// <summary>
    /// Of waiting by turns, however short each wait, without an item ended. Ten proofs: whoever reads a little from many
    /// places waits as well, and is soon done. Row: starvation, blocked by short waits.
    /// </summary>
    public static readonly TimeSpan ProofOfShortWaits = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Without CPU time and ended item, where run states cannot be read. Long, because a thread that merely waits for a CPU looks
    /// the same. No row: such systems have no tables.
    /// </summary>
    public static readonly TimeSpan ProofWithoutState = TimeSpan.FromMilliseconds(50);

    /// <summary>Without ended item, where CPU times cannot be read either. A long item looks the same. No row, as above.</summary>
    public static readonly TimeSpan ProofWithoutCpu = TimeSpan.FromMilliseconds(500);

    /// <summary>Who uses less than one part in so many of the time as CPU time mostly waits. Row: starvation, overload.</summary>
    public const int BusyParts = 4;

    /// <summary>
    /// Threads that a pass starts for each worker that it finds blocked, for whoever waits behind it is expected to block as
    /// well. Row: starvation, blocked/200. Unproven beyond two processors.
    /// </summary>
    public const int StartsPerBlocked = 3;

    /// <summary>For how long threads beyond the pool's number may run: until these, too, could be proven blocked. Row: starvation, recovery.</summary>
    public static readonly TimeSpan Overshoot = 2 * Proof;

    /// <summary>Between the monitor's looks while somebody may be blocked: half of a proof. Row: starvation, blocked.</summary>
    public static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);

    /// <summary>Between its looks while everybody gets on: its CPU time is some 10 us a look. Row: cohost.</summary>
    public static readonly TimeSpan Later = TimeSpan.FromMilliseconds(8);

    /// <summary>Between its looks while the limits allow nothing. No row shows it.</summary>
    public static readonly TimeSpan Powerless = TimeSpan.FromMilliseconds(32);

    /// <summary>Looks without waiting work after which the monitor gives a pool back. Row: quiet.</summary>
    public const int QuietLooks = 4;

    /// <summary>
    /// What the monitor may oversleep without losing proof: a timer's slack. Less than half of <see cref="Proof"/>, so that a look
    /// planned <see cref="Soon"/> proves nothing by itself: a host that takes both processors away for a while prolongs every short
    /// sleep, and the monitor may wake first. Row: starvation, blocked.
    /// </summary>
    public static readonly TimeSpan OversleepTolerance = TimeSpan.FromMilliseconds(0.5);

    /// <summary>The monitor's thread stays for so long after the last pool, because often another one follows. No row shows it.</summary>
    public static readonly TimeSpan MonitorStay = TimeSpan.FromSeconds(1);

    /// <summary>After a thread could not be started, until the next attempt: a starved system is not asked at every enqueue. No row shows it.</summary>
    public static readonly TimeSpan StartRetry = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// After this time a request that nobody has honoured counts as lost. Long, because a thread that is merely late on a loaded
    /// machine must not count, and short enough that a stalled service recovers before people notice. No row: it repairs defects.
    /// </summary>
    public static readonly TimeSpan RequestExpiry = TimeSpan.FromSeconds(1);

    /// <summary>After this time somebody keeps an eye on a request, whether or not more producers come by. No row, as above.</summary>
    public static readonly TimeSpan LateRequest = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// A request that is old enough to be repaired must still stand after this long: after the process was stopped as a whole
    /// every request looks old, and is honoured soon. No row, as above.
    /// </summary>
    public static readonly TimeSpan RepairConfirmation = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the looks of a waiter for a group that has no stack to help with. No row shows it.</summary>
    public static readonly TimeSpan StacklessWait = TimeSpan.FromMilliseconds(50);

    /// <summary>Between the monitor's looks at the ends of the queues, for the age of the oldest item. Row: cohost, with AgeLooks off.</summary>
    public static readonly TimeSpan AgeLook = TimeSpan.FromMilliseconds(100);

    /// <summary>Looks at a queue are kept that far apart, as a part of the time they span: so exact are the ages. No row shows it.</summary>
    public const int AgeParts = 16;
}
