using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>
/// What a worker does every so often that always has items of its own: it runs what is late elsewhere, and serves the other
/// queues, so that none starves (T27). When, the worker's <see cref="Pace"/> says.
/// </summary>
/// <remarks>Items are run here, not moved: behind the own items they would be overtaken by those that came after them.</remarks>
internal sealed class Fairness(Worker worker, Thief thief, ItemOrder order, InjectorFetch injector)
{
    /// <summary>
    /// Every few items: whether older ones are late elsewhere, and, less often, whether other queues starve.
    /// <see langword="true"/>: it ran an item, so that what the pool wants is to be looked at again.
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

    /// <summary>Runs the oldest item of the own lane, some of the injector queue, and one of another worker that makes no progress.</summary>
    private bool ServeOtherQueues(long now)
    {
        WorkItem item = default;
        bool taken = worker.Queues.TryTakeFromLane(ref item);
        if (taken)
        {
            worker.Run(ref item);
        }

        // A worker that holds a batch of the injector queue, or comes from a range, serves that already.
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
            // The item's slot was emptied before the head moved on. Who announces itself idle between the two sees nothing behind it.
            // Pairs with the fence of the announcement: either the head is seen there, or the announcement by Run, which passes the
            // request on (T9). A worker that looks has that fence from the end of its look.
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
