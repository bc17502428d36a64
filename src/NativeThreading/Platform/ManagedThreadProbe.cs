using System.Diagnostics;
using ThreadState = System.Threading.ThreadState;

namespace NativeThreading.Platform;

/// <summary>Looks at a thread by what .NET tells of it: whether it is in a wait of the runtime's. How long it has run is estimated from that.</summary>
/// <remarks>
/// <para>From one look to the next the thread counts as having run all the time unless it waits at both: looks are not independent of what
/// they see, as the next one comes sooner if a thread waits. That is too much where it has just started to run or to wait; it is too little
/// where it ran between two waits. So one look proves less than in the native core, and a proof takes more of them.</para>
/// <para>A thread in native code does not count as waiting, whatever it does there. But where the whole process has used little processor time
/// for a while, it cannot have computed all that time: its own time then stands still, and its state is not known.</para>
/// </remarks>
internal sealed class ManagedThreadProbe
{
    private readonly UninterruptedLock _lock = new(); // the monitor and observers look
    private readonly Thread _thread = Thread.CurrentThread;
    private long _cpu;
    private long _lookedAt = Stopwatch.GetTimestamp();
    private bool _waited; // at the last look
    private ProcessTime? _runsSince; // null: it waited at the last look
    private bool _isStill;

    /// <summary>An estimate in nanoseconds, up to this look; negative: the thread has ended.</summary>
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
/// <remarks>The system adds it up over all threads, and the monitor wants it for each worker at each look. Read for each, it took so much time
/// with 30 workers that the process never was quiet. So a reading serves for a while; it carries its own time.</remarks>
internal sealed record ProcessTime(long At, TimeSpan Cpu)
{
    private static ProcessTime? s_last;

    /// <summary>One from <paramref name="now"/>, or a little older. By any thread.</summary>
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
