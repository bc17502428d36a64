using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>
/// Keeps producers from waking further workers while no processor is free for these. A woken worker, or a lingering one that has found
/// work, sets LINGERING or leaves it set while it runs short items that threads outside the pool have queued.
/// </summary>
/// <remarks>
/// <para>A further worker would run on the processor of the worker or of the producer, and each switch costs as much as many short items (issue 41).</para>
/// <para>The worker clears the bit when it queues more than one item itself, blocks, is about to park, or some time has passed and there is more to
/// run. If it does none of that, because an item takes long or the worker has lost its processor, the sentinel clears the bit: a parked worker
/// whose time is up at least once a millisecond. So a throttle starts only while there is a sentinel. While the bit is set, no producer
/// wakes the sentinel. Model: native/models/worker_signal.pml.</para>
/// </remarks>
/// <param name="worker">The worker.</param>
/// <param name="state">Its pool's.</param>
internal sealed class WakeThrottle(Worker worker, PoolState state)
{
    private const int Producers = 1; // at least one thread outside runs, for it has queued something

    private static readonly int s_processors = LingerBudget.UsableProcessors; // kept, because the native core makes a system call for it

    /// <summary>Whether this worker has set the bit, and has not cleared it. Another thread may have.</summary>
    public bool IsOn { get; private set; }

    /// <summary>Whether a worker that finds nothing should park as the sentinel.</summary>
    public bool WantsSentinel
    {
        get
        {
            long last = state.LastThrottle;
            return last != 0 && Stopwatch.GetTimestamp() - last < WorkerTuning.ThrottleMemory;
        }
    }

    /// <summary>For the sentinel: whether another worker, which has started to throttle a short time ago, will run the items that it sees.</summary>
    public bool IsHeldByOther =>
        (state.Signal.Word & SignalWord.Lingering) != 0 && Stopwatch.GetTimestamp() - state.LastThrottle < 2 * WorkerTuning.ThrottleTime;

    /// <summary>The worker was woken, and has not acknowledged the request.</summary>
    public void TryBegin()
    {
        IsOn = IsWorthwhile() && state.Signal.TryBeginThrottle();
        NoteBegin();
    }

    /// <summary>The worker has lingered: the bit stays set, or is cleared. Clearing it is a full fence.</summary>
    public void EndPolling(bool found)
    {
        IsOn = found && IsWorthwhile();
        NoteBegin();
        if (!IsOn)
        {
            state.Signal.EndLinger();
        }
    }

    /// <summary>Clears the bit. A full fence: the caller then scans, or passes the request on, because producers have woken no worker.</summary>
    public void End()
    {
        if (IsOn)
        {
            IsOn = false;
            Chaos.Point("WakeThrottle.End");
            state.Signal.EndLinger();
        }
    }

    /// <summary>Between two items: if the time is over, other workers are needed for what is left.</summary>
    public void EndIfOver(long now)
    {
        if (IsOn && now - state.LastThrottle > WorkerTuning.ThrottleTime)
        {
            worker.LeaveItemsToOthers();
        }
    }

    /// <summary>For a worker that was the sentinel, and scans next: it ends the throttle that has relied on it. A full fence, as any end of LINGERING
    /// (T48). If the bit is of a third worker by now, producers wake a worker too many.</summary>
    public void EndOfOthers()
    {
        if ((state.Signal.Word & SignalWord.Lingering) != 0)
        {
            Chaos.Point("WakeThrottle.EndOfOthers");
            state.Signal.EndLinger();
        }
    }

    private void NoteBegin()
    {
        if (IsOn)
        {
            Counters.Add(Counted.Throttle);
            state.LastThrottle = Stopwatch.GetTimestamp();
        }
    }

    /// <summary>Whether items wait that come from outside and are short, as far as the worker can tell, all processors have something to do, and there is a
    /// sentinel. If only that is missing, the next worker to park becomes one.</summary>
    private bool IsWorthwhile()
    {
        if (!state.Injector.AnyItem || worker.Order.MostPerBatch < WorkerTuning.FewestPerThrottledBatch)
        {
            return false;
        }

        ulong word = state.Signal.Word;
        int running = state.ThreadCount - state.ReserveCount - WorkerSignal.IdleCount(word);
        if (running + Producers < s_processors)
        {
            return false;
        }

        if ((word & SignalWord.Sentinel) == 0 && state.Injector.Count > 1)
        {
            state.LastThrottle = Stopwatch.GetTimestamp();
        }

        return (word & SignalWord.Sentinel) != 0;
    }
}
