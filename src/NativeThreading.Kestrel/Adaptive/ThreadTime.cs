using System.Runtime.InteropServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>What Linux knows of the calling thread. Each is a system call of a fraction of a microsecond.</summary>
internal static unsafe partial class ThreadTime
{
    private const int ClockOfThread = 3, UsageOfThread = 1; // CLOCK_THREAD_CPUTIME_ID, RUSAGE_THREAD
    private const int VoluntarySwitches = 16, RoomForUsage = 40; // in words: ru_nvcsw, and more than any C library writes

    /// <summary>Time on a processor, in nanoseconds. Where it cannot be had, all time counts as such.</summary>
    public static long Processor
    {
        get
        {
            nint* time = stackalloc nint[2];
            return clock_gettime(ClockOfThread, time) == 0 ? (time[0] * 1_000_000_000L) + time[1] : Environment.TickCount64 * 1_000_000;
        }
    }

    /// <summary>How often it has given its processor away by itself: who only lacks one has not.</summary>
    public static long Sleeps
    {
        get
        {
            nint* usage = stackalloc nint[RoomForUsage];
            return getrusage(UsageOfThread, usage) == 0 ? usage[VoluntarySwitches] : 0;
        }
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int clock_gettime(int clock, nint* time);

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrusage(int who, nint* usage);
}
