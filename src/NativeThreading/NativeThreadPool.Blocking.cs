using NativeThreading.Starvation;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Workers that block, and the monitor that looks after those that wait for them.</summary>
public sealed partial class NativeThreadPool
{
    private readonly PoolWatch _watch;

    /// <summary>
    /// Tells the pool, on one of its workers, that what follows will block: while the region lasts another worker may
    /// run in place of the calling one, from this moment on, without waiting for it to be found blocked.
    /// </summary>
    /// <returns>
    /// To be disposed on the same thread: <c>using (NativeThreadPool.EnterBlockingRegion()) { ... }</c>. Regions may be
    /// nested. On a thread that is not a worker of any pool this does nothing.
    /// </returns>
    /// <remarks>
    /// For waits of a millisecond and more: a shorter one is over before anybody can take its place. No region is needed
    /// for the pool to stay alive; without one a blocked worker is found within a few milliseconds.
    /// </remarks>
    public static BlockingRegion EnterBlockingRegion() => new(Worker.Current);

    /// <summary>Threads that are known to be blocked at this moment: found to be, or in a blocking region.</summary>
    public int BlockedThreadCount => Roster.BlockedCount;

    /// <summary>Makes the pool one that the monitor looks after, unless it is.</summary>
    internal void BeginMonitoring()
    {
        if (Signal.TryBeginMonitoring())
        {
            Chaos.Point("NativeThreadPool.BeginMonitoring, claimed");
            _watch.Arrive();
            if (!StarvationMonitor.TryWatch(_watch))
            {
                Chaos.Point("NativeThreadPool.BeginMonitoring, no monitor");
                Signal.EndMonitoring(); // whoever queues next brings it again
            }
        }
    }

    /// <summary>
    /// Gives the pool back. From now on a producer that finds nobody to ask brings it again; what was published before
    /// is seen here, also where a worker pushed without a fence. <see langword="true"/>: the monitor goes on after all.
    /// </summary>
    internal bool EndMonitoring()
    {
        Signal.EndMonitoring();
        Interlocked.MemoryBarrierProcessWide();
        Chaos.Point("NativeThreadPool.EndMonitoring, given back");
        return PendingWorkItemCount != 0 && WorkerSignal.IdleCount(Signal.Word) == 0 && Signal.TryBeginMonitoring();
    }
}
