namespace NativeThreading.Platform;

/// <summary>How a thread polls for an action of another thread that will come soon. Between two checks it pauses. After a time of free polling it
/// yields instead if other threads want its processor, because the other thread may need that very processor (T60). The same rule in C is
/// native/src/spin.h, which says which part of it is measured.</summary>
/// <remarks>
/// The kind of wait decides how long a thread polls freely, and when other threads want the processor, with the numbers of <see cref="SpinTuning"/>:
/// <list type="table">
/// <listheader><term>waiting thread</term><description>polls freely for; other threads want the processor</description></listheader>
/// <item><term>a lock's waiter (<see cref="UninterruptedSpin"/>)</term><description>LockRounds, doubling; always: the holder was pre-empted</description></item>
/// <item><term>a lingering worker, and a thread that waits for a completion (<see cref="PollPace"/>)</term><description>FreePollingNs; if a processor
/// was lost recently</description></item>
/// <item><term>a thief at another worker's gate</term><description>AskPolls, GateExitPolls; it takes another way instead, and yields while the owner
/// gives to it</description></item>
/// </list>
/// </remarks>
internal static class SpinRule
{
    /// <summary>The rule.</summary>
    public static bool Yields(bool polledFreely, bool crowded) => polledFreely && crowded;

    /// <summary>Called between two checks; a pause lasts this many polls.</summary>
    public static void Pause(bool yields, int polls = 1)
    {
        if (yields)
        {
            Thread.Yield();
        }
        else
        {
            Thread.SpinWait(polls);
        }
    }
}

/// <summary>Waits for an action that another thread completes within nanoseconds, if it has a processor: <see cref="SpinRule"/> by rounds.
/// <see cref="SpinWait"/> would throw if the thread was interrupted (T137), and may sleep (T31).</summary>
internal struct UninterruptedSpin
{
    private int _round;

    /// <summary>Called between two checks.</summary>
    public void Once()
    {
        bool polledFreely = _round == SpinTuning.LockRounds || Environment.ProcessorCount == 1;
        SpinRule.Pause(SpinRule.Yields(polledFreely, crowded: true), SpinTuning.LockPause << _round);
        _round += polledFreely ? 0 : 1;
    }
}

/// <summary>One yield in place of a poll, where all threads of the process share the time of one processor: the thread that will end the wait needs
/// that processor. A yield costs half a microsecond, and a wake with its switches ten or more. But if another process takes the processor, the yield
/// costs a time slice. After two such yields within a few, threads of the process park at once for a while. After a single one they do not: another
/// process, or the compiler's thread, takes any processor now and then.</summary>
internal static class YieldRule
{
    private static readonly long s_wake = SpinTuning.Ticks(SpinTuning.UsualWakeNs);
    private static readonly long s_rest = SpinTuning.Ticks(SpinTuning.YieldRestNs);

    // Races lose an update now and then, which is harmless: both are estimates.
    private static int s_remembered; // short yields until the last long one is forgotten
    private static long s_restUntil;

    /// <summary>Whether yields have not cost too much lately.</summary>
    public static bool MayYield(long now) => now >= Volatile.Read(ref s_restUntil);

    /// <summary>A yield has ended.</summary>
    /// <param name="now">The time.</param>
    /// <param name="lasted">How long the yield took.</param>
    /// <param name="saved">The wakes that it has saved, about: one for each item that arrived meanwhile.</param>
    public static void Note(long now, long lasted, long saved)
    {
        int remembered = Volatile.Read(ref s_remembered);
        if (lasted > s_wake * (SpinTuning.YieldWakes + saved))
        {
            Volatile.Write(ref s_remembered, SpinTuning.YieldMemory);
            if (remembered > 0)
            {
                Volatile.Write(ref s_restUntil, now + s_rest);
            }
        }
        else if (remembered > 0)
        {
            Volatile.Write(ref s_remembered, remembered - 1);
        }
    }
}

/// <summary>One poll of a thread that waits briefly, at most for one wake-up latency: <see cref="SpinRule"/> by the clock.</summary>
/// <remarks>To yield always would cost each hand-over half a microsecond and more. If two checks are far apart, another thread wanted the processor
/// and ran in between. The whole process remembers this for a while.</remarks>
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

    /// <summary>Called between two checks.</summary>
    public void Pause(long now) => SpinRule.Pause(Yields(now));

    /// <summary>The action of <see cref="Pause"/> at this time.</summary>
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
