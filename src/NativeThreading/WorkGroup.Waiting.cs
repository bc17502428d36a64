using System.Diagnostics;
using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Waiting for the end of all items: on any thread, and on workers of the pool, which run them meanwhile.</summary>
public sealed partial class WorkGroup
{
    private static readonly ItemPredicate<WorkGroup> s_isMember = static (in WorkItem item, WorkGroup group) =>
        ReferenceEquals(item.Context, group._unflowed) || ItemContext.GroupOf(item.Context) == group;

    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(int.MaxValue); // the most that Task.Wait takes

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
            worker.Blocking.BeginGroupWait(isOurs && timeout == Timeout.InfiniteTimeSpan ? this : null);
            worker.Blocking.TellSleepers();
            return isOurs ? BlockOutOfStack(worker, timeout, started) : Block(timeout, started);
        }
        finally
        {
            worker.Blocking.EndGroupWait();
        }
    }

    /// <summary>Runs items of the group, and sleeps while there are none, until all have ended or the time is over.</summary>
    private bool HelpUntilDone(Worker worker, TimeSpan timeout, long started)
    {
        WorkItem item = default;
        bool isTold = false; // of items, and has neither run one since nor found in a last look that there is none
        bool polls = true;
        try
        {
            while (!IsDone)
            {
                if (item.Callback is null && TimeLeft(timeout, started) <= TimeSpan.Zero)
                {
                    return false;
                }

                if (item.Callback is not null || GroupHelp.TryTake(worker, s_isMember, this, ref item))
                {
                    if (isTold)
                    {
                        TellSleeper(); // there may be more than this one
                    }

                    isTold = false;
                    polls = true;
                    GroupHelp.Run(worker, ref item, s_isMember, this, timeout, started);
                    continue;
                }

                SleepOrTake(worker, timeout, started, polls, ref item, ref isTold);
                polls = false; // who was told in vain has no reason to expect the end
            }

            return true;
        }
        finally
        {
            if (isTold)
            {
                TellSleeper(); // somebody else is to look
            }
        }
    }

    /// <summary>
    /// Sleeps until the worker is told, all items have ended, or the time is over. Its last look, behind which it is told, may
    /// bring an item instead.
    /// </summary>
    private void SleepOrTake(Worker worker, TimeSpan timeout, long started, bool polls, ref WorkItem item, ref bool isTold)
    {
        try
        {
            worker.Blocking.BeginGroupWait(null);
            if (polls && CompletionPoll.Until(this, static group => group.IsDone))
            {
                return;
            }

            GroupSleep sleep = FallAsleep(isForEver: timeout == Timeout.InfiniteTimeSpan);
            try
            {
                if (!IsDone && !GroupHelp.TryTakeAnywhere(worker, s_isMember, this, ref item))
                {
                    isTold = false; // not before: an earlier look may miss what lies behind a slot that is not filled yet
                    worker.Blocking.FallAsleep(sleep);
                    worker.Blocking.TellSleepers();
                    Sleep(sleep.Task, TimeLeft(timeout, started));
                }
            }
            finally
            {
                isTold |= WakeUp(sleep);
            }
        }
        finally
        {
            worker.Blocking.EndGroupWait();
        }
    }

    /// <summary>
    /// Waits without helping, because no stack is left to run items in place. Another worker takes over at once, as in a
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

            // Asked again after each step: a worker that could have taken over may meanwhile wait for a group of its own. It
            // has stack, so it does not ask.
            do
            {
                if (!Pool.Roster.MayOthersRun())
                {
                    throw new InsufficientExecutionStackException(
                        $"The waiting thread of {Pool} has no stack left to run items of its group, and no other thread can: "
                        + $"MaxThreads = {Pool.MaxThreads} and MaxBlockedThreads = {Pool.MaxBlockedThreads} allow no more of them.");
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

            Sleep(WhenDone(), left);
        }

        return true;
    }

    /// <summary>What is left of a timeout; all there is where there is none.</summary>
    private static TimeSpan TimeLeft(TimeSpan timeout, long started) =>
        timeout == Timeout.InfiniteTimeSpan ? TimeSpan.MaxValue : timeout - Stopwatch.GetElapsedTime(started);

    private static void Sleep(Task end, TimeSpan left)
    {
        if (left > TimeSpan.Zero)
        {
            end.Wait(left < s_longestWait ? left : s_longestWait);
        }
    }

    private Task WhenDone()
    {
        TaskCompletionSource done;
        using (_lock.EnterScope())
        {
            done = _done ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // A full fence before the look at the count: pairs with the subtraction in Completed.
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
        List<GroupSleep>? sleeps;
        using (_lock.EnterScope())
        {
            (done, sleeps) = (_done, _sleeps);
            _done = null;
            _sleeps = null;
            Volatile.Write(ref _pending.Sleepers, 0);
            Volatile.Write(ref _awaited, 0);
        }

        done?.TrySetResult();
        sleeps?.ForEach(static sleep => sleep.TrySetResult());
    }
}
