using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>A worker that waits inside an item for other items, and runs them meanwhile.</summary>
internal static class GroupHelp
{
    /// <summary>Takes a matching item of the own queues or of the injector queue. A thread that runs it passes the request on (T9).</summary>
    public static bool TryTake<TArgument>(Worker worker, ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item) =>
        worker.Queues.TryTakeMatching(match, argument, ref item) || TryTakeOutside(worker, match, argument, ref item, isLastLook: false);

    /// <summary>
    /// The last scan of a worker that is about to sleep. It also scans the queues of workers that wait for groups, and misses
    /// nothing in the places that it scans.
    /// </summary>
    public static bool TryTakeAnywhere<TArgument>(Worker worker, ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item)
    {
        Chaos.Point("GroupHelp.TryTakeAnywhere");
        if (worker.Queues.TryTakeMatching(match, argument, ref item) || TryTakeOutside(worker, match, argument, ref item, isLastLook: true))
        {
            return true;
        }

        Chaos.Point("GroupHelp.TryTakeAnywhere, nothing outside");
        PoolState state = worker.Pool.State;
        if (state.GroupWaits <= 1)
        {
            return false; // the only one is this one
        }

        foreach (Worker other in state.Workers)
        {
            if (other != worker && other.Blocking.WaitsForGroup && other.Queues.TryTakeOldestMatching(match, argument, worker.Demand, ref item))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Runs an item that was taken, and then matching ones of the own queues and of the injector queue, until none is left or the time
    /// is over. Each runs as it would from the queue, also where the waiting item is a task (T135); afterwards the waiting item finds
    /// its own contexts again. The caller has checked that there is stack left.
    /// </summary>
    public static void Run<TArgument>(
        Worker worker, ref WorkItem item, ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        worker.Blocking.EndProof(); // it may have been found blocked while it slept
        SavedContexts own = SavedContexts.Take();
        try
        {
            if (OutsideTask.IsInside)
            {
                RunOutsideTask(worker, ref item, match, argument, timeout, started);
            }
            else
            {
                RunFrom(worker, ref item, match, argument, timeout, started);
            }
        }
        finally
        {
            worker.GroupTally.Report();
            own.Restore();
        }
    }

    // Apart, or the closure would be allocated where it is not needed. The item moves into it: left with the caller as well, it
    // would be kept alive while later ones run.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunOutsideTask<TArgument>(
        Worker worker, ref WorkItem item, ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        WorkItem moved = item;
        item = default;
        worker.ResetContext();
        if (!OutsideTask.TryRun(() => RunFrom(worker, ref moved, match, argument, timeout, started)))
        {
            RunFrom(worker, ref moved, match, argument, timeout, started);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void RunFrom<TArgument>(
        Worker worker, ref WorkItem item, ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        do
        {
            worker.ResetContext();
            worker.PassRequestOn();
            worker.Execute(item.Callback!, item.State, item.Context);
            worker.Blocking.EndProof(); // it was the item that blocked, and it has completed
        }
        while (WorkGroup.TimeLeft(timeout, started) > TimeSpan.Zero && TryTake(worker, match, argument, ref item));
        item = default;
    }

    private static bool TryTakeOutside<TArgument>(
        Worker worker, ItemPredicate<TArgument> match, TArgument argument, ref WorkItem item, bool isLastLook)
    {
        InjectorQueue injector = worker.Pool.Injector;
        if (!injector.TryTakeMatching(match, argument, ref item, isLastLook))
        {
            return false;
        }

        injector.RemoveHoles();
        return true;
    }
}
