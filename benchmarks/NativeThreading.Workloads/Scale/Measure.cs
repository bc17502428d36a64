using NativeThreading.Instrumentation;

namespace NativeThreading.Workloads.Scale;

/// <summary>A sum of counters that limits a pool on many processors: of a real pool and of a simulated one alike.</summary>
/// <param name="Name">In the names of rows.</param>
/// <param name="Of">The sum.</param>
internal sealed record Measure(string Name, Func<long[], double> Of)
{
    /// <summary>All of them, as they stand in a table.</summary>
    public static IReadOnlyList<Measure> All { get; } =
    [
        // A step of C makes at least two changes of the word: one takes the lock of the stack, or asks for it, one gives it back.
        new("word-writes", static c => Sum(c, Counted.WordWrite, Counted.RequestNotNeeded, Counted.RequestStart)
            + (2 * Sum(c, Counted.RequestWoke, Counted.Announce, Counted.Withdraw, Counted.ParkTimeout))),
        new("looking-writes", static c => Sum(c, Counted.LookBegin, Counted.LookEnd, Counted.LastToLookChange)),
        new("ticket-writes", static c => Sum(c, Counted.Ticket)),
        new("shard-head-writes", static c => Sum(c, Counted.ShardTake, Counted.RangeClaim) + (2 * Sum(c, Counted.ShardLock))),
        new("own-tail-writes", static c => Sum(c, Counted.DequePush, Counted.LanePush)),
        new("gate-writes", static c => 2 * Sum(c, Counted.GatePass)),
        new("holder-changes", static c => Sum(c, Counted.HolderChange)),
        new("cas-misses", static c => Sum(c, Counted.TicketMiss, Counted.ShardLockMiss, Counted.StealMiss)),
        new("steal-tries", static c => Sum(c, Counted.StealTry)),
        new("steals", static c => Sum(c, Counted.Steal)),
        new("stolen-items", static c => Sum(c, Counted.StolenItem)),
        new("gate-yields", static c => Sum(c, Counted.GateWait)),
        new("gives", static c => Sum(c, Counted.Give)),
        new("give-waits", static c => Sum(c, Counted.GiveWait)),
        new("transfers", static c => Sum(c, Counted.ShardLock)),
        new("park-barriers", static c => Sum(c, Counted.ParkBarrier)),
        new("steal-barriers", static c => Sum(c, Counted.StealBarrier)),
        new("wakes", static c => Sum(c, Counted.RequestWoke)),
        new("parks", static c => Sum(c, Counted.Park)),
        new("worker-looks", static c => Sum(c, Counted.WorkerLook, Counted.PassLook, Counted.StealPass)),
        new("holder-looks", static c => Sum(c, Counted.HolderLook)),
        new("request-looks", static c => Sum(c, Counted.RequestLook)),
        new("shard-looks", static c => Sum(c, Counted.ShardLook)),
    ];

    private static double Sum(long[] counts, params ReadOnlySpan<Counted> of)
    {
        long sum = 0;
        foreach (Counted what in of)
        {
            sum += counts[(int)what];
        }

        return sum;
    }
}
