using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>Where one worker thread announces itself idle and parks. Used by that thread only.</summary>
internal sealed unsafe class Parker
{
    private readonly WorkerSignal _signal; // keeps the stack that this worker is on alive
    private readonly LinkedListNode<AutoResetEvent>? _managed;
    private nint _worker;

    public Parker(WorkerSignal signal)
    {
        _signal = signal;
        if (CoreChoice.IsManaged)
        {
            _managed = signal.Managed.CreateWorker();
            return;
        }

        nint worker;
        NativeCore.Check(NativeMethods.nth_worker_create(signal.Handle, &worker), nameof(NativeMethods.nth_worker_create));
        _worker = worker;
    }

    /// <summary>
    /// Announces the worker idle; from now on it may be chosen. A full fence between this and the scan that must
    /// follow. <see langword="false"/>: it was to be the sentinel, and there is one.
    /// </summary>
    public bool Announce(bool asSentinel)
    {
        Counters.Add(Counted.Announce);
        if (CoreChoice.IsManaged)
        {
            return _signal.Managed.Announce(_managed!, asSentinel);
        }

        int result = NativeMethods.nth_worker_announce_idle(_worker, asSentinel ? 1u : 0u);
        Debug.Assert(result is 0 or NativeCore.Busy);
        return result == 0;
    }

    /// <summary>Takes the announcement back; <see langword="true"/> if the worker was chosen before that.</summary>
    public bool Withdraw()
    {
        Counters.Add(Counted.Withdraw);
        return CoreChoice.IsManaged ? _signal.Managed.Withdraw(_managed!) : NativeMethods.nth_worker_withdraw(_worker) != 0;
    }

    /// <summary>Parks; <see langword="true"/> if the worker was chosen, <see langword="false"/> on timeout.</summary>
    public bool Park(TimeSpan timeout)
    {
        long nanoseconds = timeout == Timeout.InfiniteTimeSpan ? -1 : Math.Max(0, timeout.Ticks) * TimeSpan.NanosecondsPerTick;
        Counters.Add(Counted.Park);
        bool chosen = CoreChoice.IsManaged ? _signal.Managed.Park(_managed!, nanoseconds) : NativeMethods.nth_worker_park(_worker, nanoseconds) != 0;
        Counters.Add(Counted.ParkTimeout, chosen ? 0 : 1);
        return chosen;
    }

    /// <summary>Frees it; the worker is not announced.</summary>
    public void Free()
    {
        if (CoreChoice.IsManaged)
        {
            _signal.Managed.RemoveWorker(_managed!);
            return;
        }

        NativeMethods.nth_worker_destroy(_worker);
        _worker = 0;
        GC.KeepAlive(_signal);
    }
}
