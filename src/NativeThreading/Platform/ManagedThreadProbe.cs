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
/// computed all that time: its own time then does not advance, and its state is not known.</para>
/// </remarks>
internal sealed class ManagedThreadProbe
{
    private readonly UninterruptedLock _lock = new(); // the monitor and observers sample
    private readonly Thread _thread = Thread.CurrentThread;
    private long _cpu;
    private long _lookedAt = Stopwatch.GetTimestamp();
    private bool _waited; // at the last sample
    private ProcessTime? _runsSince; // null: it waited at the last sample
    private bool _isStill;

    /// <summary>An estimate in nanoseconds, up to this sample; negative: the thread has ended.</summary>
    public long Cpu
    {
        get
        {
            using var held = _lock.EnterScope();
            long now = Stopwatch.GetTimestamp();
            bool waits = Is(ThreadState.WaitSleepJoin);
            LookAtProcessLocked(waits, now);
            if (!_isStill && !(waits && _waited))
            {
                _cpu += Math.Max(1, Stopwatch.GetElapsedTime(_lookedAt, now).Ticks * TimeSpan.NanosecondsPerTick);
            }

            (_lookedAt, _waited) = (now, waits);
            return Is(ThreadState.Stopped) ? RunState.Ended : _cpu;
        }
    }

    /// <summary>As NTH_THREAD_*; negative: it is not known, or the thread has ended.</summary>
    public int State => Is(ThreadState.Stopped) ? RunState.Ended
        : Is(ThreadState.WaitSleepJoin) ? RunState.Waiting
        : Volatile.Read(ref _isStill) ? RunState.NotKnown
        : RunState.Runnable;

    private bool Is(ThreadState state) => (_thread.ThreadState & state) != 0;

    private void LookAtProcessLocked(bool waits, long now)
    {
        if (waits)
        {
            (_runsSince, _isStill) = (null, false);
            return;
        }

        var process = ProcessTime.Read(now);
        _runsSince ??= process;
        TimeSpan period = Stopwatch.GetElapsedTime(_runsSince.At, process.At);
        bool isLong = period >= StarvationTuning.QuietProcess;
        _isStill = isLong && (process.Cpu - _runsSince.Cpu) * StarvationTuning.QuietParts < period;
        _runsSince = isLong && !_isStill ? process : _runsSince;
    }
}

/// <summary>The processor time of the whole process, and a time stamp from just before it was read.</summary>
/// <remarks>The system sums it over all threads, and the monitor needs it for each worker at each sample. If it was read for each of 30 workers, the
/// reads took so much time that the process was never quiet. So a reading is used for a while; it carries its own time.</remarks>
internal sealed record ProcessTime(long At, TimeSpan Cpu)
{
    private static ProcessTime? s_last;

    /// <summary>Returns a reading from <paramref name="now"/>, or a slightly older one. Any thread may call this.</summary>
    public static ProcessTime Read(long now)
    {
        ProcessTime? last = Volatile.Read(ref s_last); // pairs with the write below: a reading is seen whole
        if (last is null || Stopwatch.GetElapsedTime(last.At, now) >= StarvationTuning.Soon / 2)
        {
            Volatile.Write(ref s_last, last = new ProcessTime(Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime));
        }

        return last;
    }
}
