using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.Queues;

namespace NativeThreading.Workers;

/// <summary>A worker that waits inside an item for other items.</summary>
internal sealed unsafe partial class Worker
{
    private bool _waitsForGroup;
    private WorkGroup? _awaitedForEver;

    /// <summary>Whether it waits for a group, and has nothing of that to run itself.</summary>
    public bool WaitsForGroup => Volatile.Read(ref _waitsForGroup);

    /// <summary>
    /// Whether it waits, without a timeout, for a group of its own pool that is not done: only a worker of that pool can end
    /// the wait.
    /// </summary>
    public bool DependsOnOthers => Volatile.Read(ref _awaitedForEver) is { IsDone: false };

    /// <summary>
    /// Runs matching items, of the own queues and of outside threads, until none is left or the time is over. Each runs
    /// as it would from the queue, also where the waiting item is a task (T135); afterwards the waiting item finds its own
    /// contexts again. The caller has looked that there is stack left.
    /// </summary>
    public void Help<TArgument>(ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        WorkItem item = default;
        if (!TryTakeToHelp(match, argument, timeout, started, ref item))
        {
            return;
        }

        SavedContexts own = SavedContexts.Take();
        try
        {
            if (OutsideTask.IsInside)
            {
                HelpOutsideTask(item, match, argument, timeout, started);
            }
            else
            {
                HelpFrom(item, match, argument, timeout, started);
            }
        }
        finally
        {
            FlushGroup();
            own.Restore();
        }
    }

    /// <summary>Marks the worker as waiting and asks for help with what is in the queues.</summary>
    /// <param name="group">The group, if it is one of the own pool and there is no timeout.</param>
    public void BeginGroupWait(WorkGroup? group)
    {
        Volatile.Write(ref _awaitedForEver, group);
        Volatile.Write(ref _waitsForGroup, true);
        PassRequestOn();
    }

    /// <summary>Ends the mark; the worker runs again.</summary>
    public void EndGroupWait()
    {
        Volatile.Write(ref _waitsForGroup, false);
        Volatile.Write(ref _awaitedForEver, null);
    }

    /// <summary>Looks for help for what was pushed.</summary>
    public void AskForHelpIfPossible()
    {
        if ((Volatile.Read(ref *_word) & WorkerSignal.NeedsSlowPath) != 0)
        {
            AskForHelp();
        }
    }

    // Apart, or the closure would be allocated where it is not needed.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void HelpOutsideTask<TArgument>(
        WorkItem item, ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        ResetContext();
        if (!OutsideTask.TryRun(() => HelpFrom(item, match, argument, timeout, started)))
        {
            HelpFrom(item, match, argument, timeout, started);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void HelpFrom<TArgument>(
        WorkItem item, ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started)
    {
        do
        {
            ResetContext();
            PassRequestOn();
            Execute(item.Callback!, item.State, item.Context);
            if (IsProvenBlocked)
            {
                _roster.RunsAgain(this); // it was the item that blocked, and it has ended
            }
        }
        while (TryTakeToHelp(match, argument, timeout, started, ref item));
    }

    private bool TryTakeToHelp<TArgument>(
        ItemPredicate<TArgument> match, TArgument argument, TimeSpan timeout, long started, ref WorkItem item) =>
        (timeout == Timeout.InfiniteTimeSpan || Stopwatch.GetElapsedTime(started) < timeout)
            && (_queues.TryTakeMatching(match, argument, ref item) || _pool.External.TryTakeMatching(match, argument, ref item));
}
