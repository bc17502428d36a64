using NativeThreading.Cores;

namespace NativeThreading.Starvation;

/// <summary>Finds a worker that, inside one item, does little but wait, in waits that are each too short for a proof:
/// <c>SpinWait.SpinUntil</c>, a loop around a sleep of 1 ms (T145). Used by the monitor's thread only.</summary>
/// <remarks>Little CPU time is not enough, because a thread that lacks a processor uses none either. So the time for which the kernel says
/// that it lacked one is subtracted. That account is complete only while the thread waits. So a thread that is ready to run is never found
/// here, and no thread is where the kernel keeps no such account.</remarks>
internal struct ShortWaits
{
    private bool _suspected;
    private TimeSpan _time;
    private long _cpu;
    private long _delay;

    /// <summary>Begins anew: the worker has ended an item or parked, or was not looked at.</summary>
    public void Forget() => _suspected = false;

    /// <summary>Adds a look that found the worker in the same item as the look before. <paramref name="cpu"/> is its CPU time at
    /// this look, <paramref name="used"/> what it has used since the last one, <paramref name="time"/> the time between them that
    /// counts. Whether the worker is proven blocked.</summary>
    public bool Add(ThreadProbe probe, long cpu, long used, TimeSpan time)
    {
        if (!_suspected)
        {
            // A cheap test first: most workers either compute or wait without interruption. An estimate of one look says all or nothing.
            if (ThreadProbe.Estimates || (used > 0 && IsLittle(used, time)))
            {
                _delay = probe.RunDelay;
                _suspected = _delay >= 0;
                (_cpu, _time) = (cpu, TimeSpan.Zero);
            }

            return false;
        }

        _time += time;
        if (!IsLittle(cpu - _cpu, _time > StarvationTuning.ProofOfShortWaits ? _time : StarvationTuning.ProofOfShortWaits))
        {
            _suspected = false;
            return false;
        }

        return _time >= StarvationTuning.ProofOfShortWaits && HasWaited(probe);
    }

    private bool HasWaited(ThreadProbe probe)
    {
        int state = probe.State;
        if (state != ThreadProbe.Waiting)
        {
            _suspected = state == ThreadProbe.Runnable; // else it is held, or its state is unreadable: begin anew
            return false;
        }

        // In this order: what the worker uses or lacks after the read of its state only weakens the proof.
        long delay = probe.RunDelay;
        long cpu = probe.Cpu;
        if (delay < 0 || cpu < 0)
        {
            _suspected = false;
            return false;
        }

        TimeSpan waited = _time - TimeSpan.FromTicks((delay - _delay) / TimeSpan.NanosecondsPerTick);
        if (waited < StarvationTuning.ProofOfShortWaits)
        {
            return false;
        }

        _suspected = false;
        return IsLittle(cpu - _cpu, waited);
    }

    /// <summary>Whether a thread that used <paramref name="cpu"/> nanoseconds in that time mostly waited.</summary>
    public static bool IsLittle(long cpu, TimeSpan time) => StarvationTuning.BusyParts * cpu < time.Ticks * TimeSpan.NanosecondsPerTick;
}
