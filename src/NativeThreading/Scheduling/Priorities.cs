using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// One worker's way to the items with a priority. While such items may wait, <see cref="Attention.Priorities"/> is set: each worker comes here between two
/// items, and runs those with a high priority first. Of 64 items that it starts, at least one is of a lower priority than the others, if one waits.
/// </summary>
internal sealed class Priorities(Worker worker, PoolState state)
{
    private int _sinceLow;

    /// <summary>Runs items with a high priority, and one with a low priority if those have waited for long enough.</summary>
    public void RunHigh()
    {
        if (!state.Injector.HasHigh && !state.Injector.HasLow)
        {
            EndAttention();
            return;
        }

        for (int started = 1; started < WorkerTuning.PicksPerNeglected && state.MayGoOn && TryRunNext(); started++)
        {
        }
    }

    /// <summary>Runs items with a priority, for as long as no other waits here. Returns whether it ran one.</summary>
    public bool RunAny()
    {
        bool ran = false;
        while (state.MayGoOn && (TryRunNext() || TryRun(WorkPriority.Low)))
        {
            ran = true;
            if (worker.PendingCount != 0 || state.Injector.HasNormal)
            {
                break;
            }
        }

        return ran;
    }

    /// <summary>Runs an item with a high priority, or one with a low priority that has been neglected for long enough.</summary>
    private bool TryRunNext() => (++_sinceLow >= WorkerTuning.PicksPerNeglected && TryRun(WorkPriority.Low)) || TryRun(WorkPriority.High);

    private bool TryRun(WorkPriority priority)
    {
        WorkItem item = default;
        if (!state.Injector.TryTakePrioritized(priority, ref item))
        {
            return false;
        }

        _sinceLow = priority == WorkPriority.Low ? 0 : _sinceLow;
        Interlocked.MemoryBarrier(); // as in InjectorFetch.RunSome
        worker.Run(ref item);
        return true;
    }

    /// <summary>Dekker pair with the producer, which publishes its item before it reads the reason: either it sets the reason again, or its item is seen here.</summary>
    private void EndAttention()
    {
        state.Attract(Attention.Priorities, false);
        Chaos.Point("Priorities.EndAttention, ended");
        if (state.Injector.HasHigh || state.Injector.HasLow)
        {
            state.Attract(Attention.Priorities, true);
        }
    }
}
