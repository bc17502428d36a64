using System.Diagnostics;

namespace NativeThreading.Workers;

/// <summary>
/// How fast a thread polls that waits for a moment: as fast as it can, unless others want its CPU. Then what it waits for
/// may need this very CPU, and would get it at the end of a time slice only, so that it yields between two looks.
/// </summary>
/// <remarks>
/// Yielding always would cost each hand-over half a microsecond and more. That others want the CPU shows in two looks far
/// apart: somebody ran in between. It is remembered for the whole process, for a while.
/// </remarks>
internal struct PollPace
{
    private const int Memory = 16;

    private static readonly long s_freely = Stopwatch.Frequency / 500_000; // 2 us: a hand-over between two running threads takes less
    private static readonly long s_lostCpu = Stopwatch.Frequency / 200_000; // 5 us between two looks

    // Polls that still yield. Races lose an update now and then, which is harmless: it is an estimate.
    private static int s_crowded;

    private readonly long _freelyUntil;
    private readonly bool _yields;
    private long _last;

    public PollPace(long now)
    {
        _freelyUntil = now + s_freely;
        _last = now;
        int crowded = s_crowded;
        _yields = crowded > 0;
        if (_yields)
        {
            s_crowded = crowded - 1;
        }
    }

    /// <summary>To be called between two looks.</summary>
    public void Pause(long now)
    {
        if (now - _last > s_lostCpu)
        {
            s_crowded = Memory;
        }

        _last = now;
        if (_yields && now >= _freelyUntil)
        {
            Thread.Yield();
        }
        else
        {
            Thread.SpinWait(1);
        }
    }
}
