namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// Whether what completes on the runtime's pool comes alone, or in a row with others. Where it comes in a row, as from timers that are due
/// together, that pool has work enough, and a loop does the rest for less. Where it comes alone, as from a database, the pool's threads look for
/// work in between, which costs more than the work; so they are given all of it.
/// </summary>
internal static class Pace
{
    private const int Few = 12, FewOfAll = 48; // items that wait. Behind timers that are due together dozens do, and behind sockets a few

    /// <summary>On a thread of that pool. Costs a look at the queue of each of its threads.</summary>
    /// <param name="hasAll">Whether that pool is given all of the work already.</param>
    public static bool IsAlone(bool hasAll) => ThreadPool.PendingWorkItemCount <= (hasAll ? FewOfAll : Few);
}
