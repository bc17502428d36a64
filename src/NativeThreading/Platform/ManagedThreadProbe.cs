using System.Diagnostics;
using ThreadState = System.Threading.ThreadState;

namespace NativeThreading.Platform;

/// <summary>Looks at a thread by what .NET tells of it: whether it is in a wait of the runtime's. How long it has run is estimated from that.</summary>
/// <remarks>
/// <para>From one look to the next the thread counts as having run all the time unless it waits at both: looks are not independent of what
/// they see, as the next one comes sooner where somebody waits. That is too much where it has just begun to run or to wait; it is too little
/// where it ran between two waits. So one look proves less than in the native core, and a proof takes more of them.</para>
/// <para>A thread in native code does not count as waiting, whatever it does there. But where the whole process has used little processor time
/// for a while, it cannot have computed all that time: its own time then stands still, and its state is not known.</para>
/// </remarks>
internal sealed class ManagedThreadProbe
{
    private const int NotKnown = -38; // ENOSYS on Linux; only its sign means something

    private readonly UninterruptedLock _lock = new(); // the monitor and observers look
    private readonly Thread _thread = Thread.CurrentThread;
    private long _cpu;
    private long _lookedAt = Stopwatch.GetTimestamp();
    private bool _waited; // at the last look
    private ProcessTime? _runsSince; // null: it waited at the last look
    private bool _isStill;
    private TimeSpan _seenWaiting; // between looks that both saw it wait

    /// <summary>An estimate in nanoseconds, up to this look; negative: the thread has ended.</summary>
    public long Cpu
    {
        get
        {
            ThreadState state = _thread.ThreadState;
            if ((state & ThreadState.Stopped) != 0)
            {
                return RunState.Ended;
            }

            using var held = _lock.EnterScope();
            long now = Stopwatch.GetTimestamp();
            bool waits = IsWaiting(state);
            if (waits)
            {
                _runsSince = null;
                Volatile.Write(ref _isStill, false);
            }
            else
            {
                LookAtProcess(now);
            }

            TimeSpan elapsed = Stopwatch.GetElapsedTime(_lookedAt, now);
            if (waits && _waited)
            {
                _seenWaiting += elapsed < StarvationTuning.Soon ? elapsed : StarvationTuning.Soon; // more may be time without a look (T83)
            }
            else if (!_isStill)
            {
                _cpu += Math.Max(1, elapsed.Ticks * TimeSpan.NanosecondsPerTick);
            }

            (_lookedAt, _waited) = (now, waits);
            return _cpu;
        }
    }

    /// <summary>As NTH_THREAD_*; negative: it is not known, or the thread has ended.</summary>
    public int State
    {
        get
        {
            ThreadState state = _thread.ThreadState;
            return (state & ThreadState.Stopped) != 0 ? RunState.Ended : IsWaiting(state) ? RunState.Waiting : Volatile.Read(ref _isStill) ? NotKnown : RunState.Runnable;
        }
    }

    /// <summary>One for each <see cref="StarvationTuning.Proof"/> for which it was seen to wait: single waits are not seen. Negative: its
    /// state is not known.</summary>
    public long Waits
    {
        get
        {
            using var held = _lock.EnterScope();
            return _isStill ? NotKnown : _seenWaiting.Ticks / StarvationTuning.Proof.Ticks;
        }
    }

    private static bool IsWaiting(ThreadState state) => (state & ThreadState.WaitSleepJoin) != 0;

    private void LookAtProcess(long now)
    {
        var process = ProcessTime.Read(now);
        _runsSince ??= process;
        TimeSpan period = Stopwatch.GetElapsedTime(_runsSince.At, process.At);
        bool busy = (process.Cpu - _runsSince.Cpu) * StarvationTuning.QuietParts >= period;
        if (busy)
        {
            Volatile.Write(ref _isStill, false);
        }
        else if (period >= StarvationTuning.QuietProcess)
        {
            Volatile.Write(ref _isStill, true);
        }

        if (busy && period >= StarvationTuning.QuietProcess)
        {
            _runsSince = process;
        }
    }
}

/// <summary>The processor time of the whole process, and when it was read.</summary>
/// <remarks>The system adds it up over all threads, and the monitor wants it for each worker at each look. Read for each, it took so much time
/// with 30 workers that the process never was quiet. So a reading is used again for a while; it carries its own time, so nothing is lost
/// by that.</remarks>
internal sealed class ProcessTime
{
    private static ProcessTime? s_last;

    private ProcessTime() => (At, Cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);

    /// <summary>A time stamp from just before it was read.</summary>
    public long At { get; }

    public TimeSpan Cpu { get; }

    /// <summary>One from <paramref name="now"/>, or a little older. By any thread.</summary>
    public static ProcessTime Read(long now)
    {
        ProcessTime? last = Volatile.Read(ref s_last); // pairs with the write below: a reading is seen whole
        if (last is null || Stopwatch.GetElapsedTime(last.At, now) >= StarvationTuning.Soon / 2)
        {
            last = new ProcessTime();
            Volatile.Write(ref s_last, last);
        }

        return last;
    }
}
