using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// Periodic check for a worker whose queues never empty: it runs overdue items of other workers, and serves the other queues, so that
/// none of them starves (T27). The worker's <see cref="Pace"/> says when.
/// </summary>
/// <remarks>The items run here and are not moved: after the worker's own items they would be overtaken by newer ones.</remarks>
internal sealed class Fairness(Worker worker, Thief thief, ItemOrder order, InjectorFetch injector)
{
    /// <summary>
    /// Called every few items: checks whether other workers have older overdue items and, less often, whether other queues starve.
    /// Returns <see langword="true"/> if it ran an item, so that the caller reads the state of the pool again.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TakeALook()
    {
        long now = Stopwatch.GetTimestamp();
        bool isAtOtherQueues = worker.Pace.IsAtOtherQueues;
        if (isAtOtherQueues)
        {
            worker.Pace.BeginLook(now);
            order.EndHolding();
        }

        WorkItem item = default;
        bool othersHold = order.OthersHold;
        bool isLong = order.Check(now, othersHold);
        if (othersHold && thief.TryTakeOlder(now, evenInTime: isLong, ref item))
        {
            worker.Run(ref item);
            return true;
        }

        return isAtOtherQueues && ServeOtherQueues(now);
    }

    /// <summary>Runs the oldest item of the worker's own lane, some of the injector queue, and one of another worker that makes no progress.</summary>
    private bool ServeOtherQueues(long now)
    {
        WorkItem item = default;
        bool taken = worker.Queues.TryTakeFromLane(ref item);
        if (taken)
        {
            worker.Run(ref item);
        }

        // A worker that holds a batch of the injector queue, or comes from a range, already serves the injector queue.
        return worker.Queues.HeldCount > 0 ? taken : (!injector.EndServing() && RunInjected(now)) || RunOneOfOthers(now) || taken;
    }

    /// <summary>
    /// Runs items of the injector queue one by one, for as long as a batch of them may take, and until one has queued local
    /// items: those come next.
    /// </summary>
    private bool RunInjected(long now)
    {
        WorkItem item = default;
        int count = 0;
        while (injector.TryTakeNow(ref item))
        {
            // The item's slot was emptied before the head moved. A worker that announces itself idle between the two steps sees no item
            // after the slot. Pairs with the fence of the announcement: either that worker sees the head, or Run sees the announcement and
            // passes the request on (T9). A worker that scans has this fence from the end of its scan.
            Interlocked.MemoryBarrier();
            worker.Run(ref item);
            count++;
            if (count == WorkerTuning.MostInjectedPerLook
                || worker.Queues.LocalCount != 0
                || (count % WorkerTuning.PicksPerCheck == 1 && Stopwatch.GetTimestamp() - now >= WorkerTuning.PicksPerCheck * WorkerTuning.LongItem))
            {
                break;
            }
        }

        return count != 0;
    }

    private bool RunOneOfOthers(long now)
    {
        WorkItem item = default;
        if (!thief.TryTakeFromNext(now, ref item))
        {
            return false;
        }

        worker.Run(ref item);
        return true;
    }
}
