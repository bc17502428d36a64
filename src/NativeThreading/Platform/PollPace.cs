namespace NativeThreading.Platform;

/// <summary>One poll of a thread that waits for a moment, at most a wake latency: <see cref="SpinRule"/> by the clock.</summary>
/// <remarks>To yield always would cost each hand-over half a microsecond and more. That others want the processor shows in two looks far
/// apart: somebody ran in between. It is remembered for the whole process, for a while.</remarks>
internal struct PollPace
{
    private static readonly long s_free = SpinTuning.Ticks(SpinTuning.FreePollingNs);
    private static readonly long s_lostCpu = SpinTuning.Ticks(SpinTuning.LostCpuNs);

    // Polls that still count as crowded. Races lose an update now and then, which is harmless: it is an estimate.
    private static int s_crowdedPolls;

    private readonly long _freeUntil;
    private readonly bool _isCrowded;
    private long _last;

    public PollPace(long now)
    {
        _freeUntil = now + s_free;
        _last = now;
        int polls = Volatile.Read(ref s_crowdedPolls);
        _isCrowded = polls > 0;
        if (_isCrowded)
        {
            Volatile.Write(ref s_crowdedPolls, polls - 1);
        }
    }

    /// <summary>To be called between two looks.</summary>
    public void Pause(long now) => SpinRule.Pause(Yields(now));

    /// <summary>What <see cref="Pause"/> does at this time.</summary>
    public bool Yields(long now)
    {
        if (now - _last > s_lostCpu)
        {
            Volatile.Write(ref s_crowdedPolls, SpinTuning.CrowdedPolls);
        }

        _last = now;
        return SpinRule.Yields(now >= _freeUntil, _isCrowded);
    }
}
