using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>The time that measured segments have taken on this thread so far, and the times that Linux knows of the thread. Endpoints run inside
/// other code, and their time must not be attributed to that code. Used only by its own thread.</summary>
internal sealed unsafe partial class ThreadClock
{
    private const int ClockOfThread = 3, UsageOfThread = 1; // CLOCK_THREAD_CPUTIME_ID, RUSAGE_THREAD
    private const int VoluntarySwitches = 16, RoomForUsage = 40; // in words: ru_nvcsw, and more than any C library writes

    [ThreadStatic]
    private static ThreadClock? t_current;

    private long _sampled, _processorThen;
    private TimeSpan _pausesThen;
    private bool _isBlamed; // the takeover of this thread's loop is attributed to a segment: later code on this thread holds up no loop

    public static ThreadClock Current => t_current ??= new ThreadClock();

    /// <summary>The thread's time on a processor, in nanoseconds. If the system does not tell, all time counts. A system call.</summary>
    public static long ProcessorTime
    {
        get
        {
            nint* time = stackalloc nint[2];
            return clock_gettime(ClockOfThread, time) == 0 ? (time[0] * 1_000_000_000L) + time[1] : Environment.TickCount64 * 1_000_000;
        }
    }

    /// <summary>How often the thread has slept. A thread that only waits for a processor does not sleep. A system call.</summary>
    public static long Sleeps
    {
        get
        {
            nint* usage = stackalloc nint[RoomForUsage];
            return getrusage(UsageOfThread, usage) == 0 ? usage[VoluntarySwitches] : 0;
        }
    }

    /// <summary>The wall-clock time of measured segments, in nanoseconds.</summary>
    public long Wall { get; set; }

    /// <summary>The part of that time that was spent on a processor, in nanoseconds; an upper bound.</summary>
    public long Processor { get; set; }

    /// <summary>Returns the time at which a segment starts. Reads the thread's processor time at most once a millisecond.</summary>
    public long Begin()
    {
        long now = Stopwatch.GetTimestamp();
        if (now - _sampled < Learning.Short)
        {
            return now;
        }

        (_processorThen, _pausesThen) = (ProcessorTime, GC.GetTotalPauseDuration());
        return _sampled = Stopwatch.GetTimestamp();
    }

    /// <summary>A lower bound of the processor time that a segment has used, at most a millisecond too low. It excludes nested segments and the
    /// pauses of the garbage collector, because the thread of the segment may have run the collection.</summary>
    public long ComputedSince(long started, long nested)
    {
        long paused = (GC.GetTotalPauseDuration() - _pausesThen).Ticks * TimeSpan.NanosecondsPerTick;
        return ProcessorTime - _processorThen - paused - Math.Max(0, started - _sampled) - (Processor - nested);
    }

    /// <summary>Attributes the takeover to the segment that completes now, if this thread has lost the loop that it was driving.</summary>
    public bool TryBlame() => !_isBlamed && EventLoop.Current is null && (_isBlamed = true);

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int clock_gettime(int clock, nint* time);

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrusage(int who, nint* usage);
}
