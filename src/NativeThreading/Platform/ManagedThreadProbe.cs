using System.Diagnostics;
using ThreadState = System.Threading.ThreadState;

namespace NativeThreading.Platform;

/// <summary>Samples a thread through .NET, which shows only whether the thread is in a wait of the runtime. The running time is estimated from
/// that.</summary>
/// <remarks>
/// <para>From one sample to the next the thread counts as having run all the time, unless it waits at both. Samples are not independent of their
/// results, because the next sample is earlier if a thread waits. The estimate is too high if the thread has just started to run or to wait, and too
/// low if it ran between two waits. So one sample proves less than in the native core, and a proof takes more samples.</para>
/// <para>A thread in native code never counts as waiting. But if the whole process has used little processor time for a while, the thread cannot have
/// computed all that time: its own time then does not advance, and its state is not known. The system sums the time of the process over all threads.
/// So it is read once for all probes, at the end of each period.</para>
/// </remarks>
internal sealed class ManagedThreadProbe
{
    private static readonly UninterruptedLock s_lock = new(); // the monitor and observers sample

    private static long s_readAt; // the start of the current period
    private static TimeSpan s_cpu; // of the process, at that time
    private static long s_quietSince; // the start of the last period, if the process was quiet in it; else 0

    private readonly Thread _thread = Thread.CurrentThread;
    private long _cpu;
    private long _lookedAt = Stopwatch.GetTimestamp();
    private long _waitedAt = Stopwatch.GetTimestamp(); // the last sample that found it waiting; before one, its creation
    private bool _isStill;

    /// <summary>An estimate in nanoseconds, up to this sample; negative: the thread has ended.</summary>
    public long Cpu
    {
        get
        {
            using var held = s_lock.EnterScope();
            long now = Stopwatch.GetTimestamp();
            bool waits = Is(ThreadState.WaitSleepJoin);
            Volatile.Write(ref _isStill, QuietSinceLocked(now) >= _waitedAt && !waits);
            if (!_isStill && !(waits && _waitedAt == _lookedAt))
            {
                _cpu += Math.Max(1, Stopwatch.GetElapsedTime(_lookedAt, now).Ticks * TimeSpan.NanosecondsPerTick);
            }

            (_lookedAt, _waitedAt) = (now, waits ? now : _waitedAt);
            return Is(ThreadState.Stopped) ? RunState.Ended : _cpu;
        }
    }

    /// <summary>As NTH_THREAD_*; negative: it is not known, or the thread has ended.</summary>
    public int State => Is(ThreadState.Stopped) ? RunState.Ended
        : Is(ThreadState.WaitSleepJoin) ? RunState.Waiting
        : Volatile.Read(ref _isStill) ? RunState.NotKnown
        : RunState.Runnable;

    private bool Is(ThreadState state) => (_thread.ThreadState & state) != 0;

    private static long QuietSinceLocked(long now)
    {
        TimeSpan period = Stopwatch.GetElapsedTime(s_readAt, now);
        if (period >= StarvationTuning.QuietProcess)
        {
            TimeSpan cpu = Environment.CpuUsage.TotalTime;
            s_quietSince = (cpu - s_cpu) * StarvationTuning.QuietParts < period ? s_readAt : 0;
            (s_readAt, s_cpu) = (Stopwatch.GetTimestamp(), cpu); // the clock again: a period counts as shorter than it was, never as longer
        }

        return s_quietSince;
    }
}
