using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>Detects a worker that, inside one item, mostly waits, in waits that are each too short for a proof:
/// <c>SpinWait.SpinUntil</c>, a loop around a sleep of 1 ms (T145). Used by the monitor's thread only.</summary>
/// <remarks>
/// <para>Little CPU time is not enough, because a thread that lacks a processor uses none either. So the time for which, by the kernel's account, it
/// lacked a processor is subtracted. The kernel adds to that account when the thread gets a processor. So if the thread has run before a sample, the
/// account is complete up to the previous sample. The state of the thread is not read: on a crowded machine a thread that polls is ready to run at
/// nearly every sample.</para>
/// <para>What remains may be time in which the whole process was stopped. So each wait counts for at most a proof. A thread that never gives up its
/// processor is never detected here. If one of the two accounts is missing, no thread is. It is always missing on the managed core, where five
/// consecutive samples soon find a worker waiting that mostly waits.</para>
/// </remarks>
internal struct ShortWaits
{
    private bool _suspected;
    private long _from;
    private TimeSpan _pauses;
    private long _cpu;
    private long _delay;
    private long _waits;

    /// <summary>Starts again: the worker has completed an item or parked, or was not sampled.</summary>
    public void Forget() => _suspected = false;

    /// <summary>Adds a sample that found the worker in the same item as the previous sample. <paramref name="cpu"/> is its CPU time at this sample,
    /// <paramref name="used"/> the CPU time since the previous one. Returns whether the worker is proven blocked.</summary>
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

        // If the thread has used no CPU time since the previous sample, it may have lacked a processor from before that sample until now.
        return used > 0 && time >= StarvationTuning.ProofOfShortWaits && HasWaited(probe, cpu, time);
    }

    // At the start the accounts are read before the clock, and at the end after it. So an excess in them only weakens the proof.
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
