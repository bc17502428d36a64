using NativeThreading.Interop;

namespace NativeThreading.Starvation;

/// <summary>
/// Whether a worker, inside one item, does little else than wait, though each wait is too short to prove anything:
/// <c>SpinWait.SpinUntil</c>, a loop around a sleep of 1 ms (T145). Used by the monitor's thread only.
/// </summary>
/// <remarks>
/// Little CPU time is not enough, because a thread that has no processor uses none either. So what the kernel says of that
/// is subtracted. Its account is complete only for a thread that waits for something else; a thread that is ready to run
/// may have been so for any time, and is never found here. Where the kernel keeps no account nobody is.
/// </remarks>
internal struct ShortWaits
{
    private bool _suspected;
    private TimeSpan _time;
    private long _cpu;
    private long _delay;

    /// <summary>It has ended an item, or parked, or was not looked at.</summary>
    public void Forget() => _suspected = false;

    /// <summary>
    /// After a look that found it inside the item of the look before. <paramref name="cpu"/> is its CPU time at this look,
    /// <paramref name="used"/> what it used since the last one, <paramref name="time"/> what may count of the time between
    /// them. Returns whether it is proven.
    /// </summary>
    public bool Add(ThreadProbe probe, long cpu, long used, TimeSpan time)
    {
        if (!_suspected)
        {
            // Cheap signs first: most workers either compute, or wait without interruption.
            if (used > 0 && IsLittle(used, time))
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
            _suspected = state == ThreadProbe.Runnable; // else it is held, or nothing can be told: begin anew
            return false;
        }

        // In this order: what it used or lacked since its state was read only takes away from the proof.
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

    /// <summary>Whether somebody who used this many nanoseconds of that time mostly waited.</summary>
    public static bool IsLittle(long cpu, TimeSpan time) => StarvationTuning.BusyParts * cpu < time.Ticks * TimeSpan.NanosecondsPerTick;
}
