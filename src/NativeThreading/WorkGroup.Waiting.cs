using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

// Waiting for the end of all items: on any thread, and on workers of the pool, which run them meanwhile.
public sealed partial class WorkGroup
{
    private static readonly ItemPredicate<WorkGroup> s_isMember = static (in WorkItem item, WorkGroup group) =>
        ReferenceEquals(item.Context, group._unflowed) || ItemContext.GroupOf(item.Context) == group;

    private bool HelpAndWait(TimeSpan timeout)
    {
        long started = Stopwatch.GetTimestamp();
        Worker? worker = Worker.Current;
        if (worker is null)
        {
            return Block(timeout, started);
        }

        worker.GroupTally.Report();
        bool isOurs = worker.Pool == Pool;
        if (isOurs && StackSpace.IsLeft())
        {
            return HelpUntilDone(worker, timeout, started);
        }

        if (IsDone)
        {
            return true;
        }

        try
        {
            worker.Blocking.BeginGroupWait();
            if (isOurs && timeout == Timeout.InfiniteTimeSpan)
            {
                worker.Blocking.FallAsleep(new GroupSleep(this)); // a separate object: no thread wakes it, because it would run no item
            }

            worker.Blocking.WakeSleepers();
            return isOurs ? BlockOutOfStack(worker, timeout, started) : Block(timeout, started);
        }
        finally
        {
            worker.Blocking.EndGroupWait();
        }
    }

    /// <summary>Runs items of the group, and sleeps while there are none, until all items have completed or the time is over.</summary>
    private bool HelpUntilDone(Worker worker, TimeSpan timeout, long started)
    {
        WorkItem item = default;
        bool polls = true;
        while (!IsDone && TimeLeft(timeout, started) > TimeSpan.Zero)
        {
            polls = GroupHelp.TryTake(worker, s_isMember, this, ref item) || TakeOrSleep(worker, timeout, started, polls, ref item);
            if (polls)
            {
                GroupHelp.Run(worker, ref item, s_isMember, this, timeout, started);
            }
        }

        return IsDone;
    }

    /// <summary>
    /// Sleeps until there are items, all items have completed, or the time is over. <see langword="true"/>: the last scan before the sleep has found
    /// an item instead.
    /// </summary>
    /// <param name="worker">The caller.</param>
    /// <param name="timeout">The timeout of the wait.</param>
    /// <param name="started">The start of the wait.</param>
    /// <param name="polls">Whether to poll for the end first. A thread that was woken without result has no reason to expect it.</param>
    /// <param name="item">The item that was taken.</param>
    private bool TakeOrSleep(Worker worker, TimeSpan timeout, long started, bool polls, ref WorkItem item)
    {
        try
        {
            worker.Blocking.BeginGroupWait();
            if (polls && CompletionPoll.Until(this, static group => group.IsDone))
            {
                return false;
            }

            GroupSleep sleep = FallAsleep();
            if (GroupHelp.TryTakeAnywhere(worker, s_isMember, this, ref item))
            {
                return true;
            }

            if (IsDone)
            {
                return false;
            }

            if (timeout == Timeout.InfiniteTimeSpan)
            {
                worker.Blocking.FallAsleep(sleep);
            }

            worker.Blocking.WakeSleepers();
            Completion.Wait(sleep.Task, TimeLeft(timeout, started));
            return false;
        }
        finally
        {
            worker.Blocking.EndGroupWait();
        }
    }

    /// <summary>
    /// Waits without helping, because no stack is left to run items inline. Another worker takes over at once, as in a
    /// blocking region. If all workers that the limits allow wait in the same way, the wait would never end.
    /// </summary>
    private bool BlockOutOfStack(Worker worker, TimeSpan timeout, long started)
    {
        worker.Blocking.EnterRegion();
        try
        {
            if (timeout != Timeout.InfiniteTimeSpan)
            {
                return Block(timeout, started);
            }

            // Check again after each step: the worker that could have taken over may meanwhile wait for a group of its own. That
            // worker has stack, so it does not check.
            do
            {
                if (!Pool.Roster.MayOthersRun())
                {
                    throw new InsufficientExecutionStackException(
                        $"The waiting thread of {Pool} does not have enough stack left to run items of its group, and no other thread can run them: "
                        + $"MaxThreads = {Pool.MaxThreads} and MaxBlockedThreads = {Pool.MaxBlockedThreads} allow no more threads. "
                        + "Nest fewer waits, or raise MaxBlockedThreads or MaxStackSize.");
                }
            }
            while (!Block(StarvationTuning.StacklessWait, Stopwatch.GetTimestamp()));
            return true;
        }
        finally
        {
            worker.Blocking.LeaveRegion();
        }
    }

    private bool Block(TimeSpan timeout, long started)
    {
        if (CompletionPoll.Until(this, static group => group.IsDone))
        {
            return true;
        }

        // A loop for the same reason as in WaitAsync.
        while (!IsDone)
        {
            TimeSpan left = TimeLeft(timeout, started);
            if (left <= TimeSpan.Zero)
            {
                return false;
            }

            Completion.Wait(WhenDone(), left);
        }

        return true;
    }

    /// <summary>The remaining time of a timeout, which may be infinite.</summary>
    internal static TimeSpan TimeLeft(TimeSpan timeout, long started) =>
        timeout == Timeout.InfiniteTimeSpan ? TimeSpan.MaxValue : timeout - Stopwatch.GetElapsedTime(started);

    private Task WhenDone()
    {
        TaskCompletionSource done;
        using (_lock.EnterScope())
        {
            done = _done ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // A full fence before the read of the count: pairs with the addition in Completed.
        Chaos.Point("WorkGroup.WhenDone");
        Interlocked.Exchange(ref _awaited, 1);
        Chaos.Point("WorkGroup.WhenDone, awaited");
        if (IsDone)
        {
            CompleteWaiters();
        }

        return done.Task;
    }

    private void CompleteWaiters()
    {
        Chaos.Point("WorkGroup.CompleteWaiters");
        TaskCompletionSource? done;
        GroupSleep? sleep;
        using (_lock.EnterScope())
        {
            (done, sleep) = (_done, _sleep);
            _done = null;
            Volatile.Write(ref _sleep, null);
            Volatile.Write(ref _awaited, 0);
        }

        if (done is not null)
        {
            Completion.Set(done);
        }

        if (sleep is not null)
        {
            Completion.Set(sleep);
        }
    }
}

/// <summary>The exception that a wait for a <see cref="WorkGroup"/> throws when items have failed.</summary>
public enum WorkGroupErrors
{
    /// <summary>The exception of the first item that failed, with its original stack trace.</summary>
    First,

    /// <summary>An <see cref="AggregateException"/> with the exceptions of all failed items.</summary>
    All,
}
