using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>Finds a worker that, inside one item, does little but wait, in waits that are each too short for a proof:
/// <c>SpinWait.SpinUntil</c>, a loop around a sleep of 1 ms (T145). Used by the monitor's thread only.</summary>
/// <remarks>
/// <para>Little CPU time is not enough, because a thread that lacks a processor uses none either. So the time for which the kernel says
/// that it lacked one is subtracted. The kernel adds to that account when the thread gets a processor. So at a look before which the
/// thread has run, the account is complete up to the look before. The state of the thread is not asked: on a crowded machine a thread
/// that polls is ready to run at nearly every look.</para>
/// <para>What remains may be time in which the whole process was stopped. So each wait counts for at most a proof. A thread that never
/// gives up its processor is never found here, nor is any where one of the two accounts is missing, as always on the managed core: there a worker
/// that mostly waits is soon met waiting at five looks in a row.</para>
/// </remarks>
internal struct ShortWaits
{
    private bool _suspected;
    private long _from;
    private TimeSpan _pauses;
    private long _cpu;
    private long _delay;
    private long _waits;

    /// <summary>Begins anew: the worker has ended an item or parked, or was not looked at.</summary>
    public void Forget() => _suspected = false;

    /// <summary>Adds a look that found the worker in the same item as the look before. <paramref name="cpu"/> is its CPU time at
    /// this look, <paramref name="used"/> what it has used since the last one. Whether the worker is proven blocked.</summary>
    public bool Add(ThreadProbe probe, long cpu, long used, PauseFreeClock clock)
    {
        if (!_suspected)
        {
            // A cheap test first: most workers either compute or wait without interruption.
            if (used > 0 && IsLittle(used, clock.Elapsed))
            {
                Suspect(probe, cpu);
            }

            return false;
        }

        TimeSpan time = Stopwatch.GetElapsedTime(_from, clock.LastBegan) - (GC.GetTotalPauseDuration() - _pauses);
        if (!IsLittle(cpu - _cpu, time > StarvationTuning.ProofOfShortWaits ? time : StarvationTuning.ProofOfShortWaits))
        {
            _suspected = false;
            return false;
        }

        // Without CPU time since the look before, a lack of a processor from before that may still continue.
        return used > 0 && time >= StarvationTuning.ProofOfShortWaits && HasWaited(probe, cpu, time);
    }

    // The accounts are read before the time is, and at the end behind it. So what they have too much only weakens the proof.
    private void Suspect(ThreadProbe probe, long cpu)
    {
        _cpu = cpu;
        _delay = probe.RunDelay;
        _waits = _delay < 0 ? _delay : probe.Waits;
        _pauses = GC.GetTotalPauseDuration();
        _from = Stopwatch.GetTimestamp();
        _suspected = _waits >= 0;
    }

    private bool HasWaited(ThreadProbe probe, long cpu, TimeSpan time)
    {
        long delay = probe.RunDelay;
        TimeSpan waited = time - TimeSpan.FromTicks((delay - _delay) / TimeSpan.NanosecondsPerTick);
        if (delay < 0 || waited < StarvationTuning.ProofOfShortWaits)
        {
            _suspected = delay >= 0;
            return false;
        }

        long waits = probe.Waits;
        TimeSpan longest = (waits - _waits) * StarvationTuning.Proof;
        waited = waited < longest ? waited : longest;
        if (waits >= 0 && waited < StarvationTuning.ProofOfShortWaits)
        {
            return false;
        }

        _suspected = false;
        return waits >= 0 && IsLittle(cpu - _cpu, waited);
    }

    /// <summary>Whether a thread that used <paramref name="cpu"/> nanoseconds in that time mostly waited.</summary>
    public static bool IsLittle(long cpu, TimeSpan time) => StarvationTuning.BusyParts * cpu < time.Ticks * TimeSpan.NanosecondsPerTick;
}
