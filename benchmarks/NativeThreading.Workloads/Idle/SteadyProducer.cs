using System.Diagnostics;
using System.Runtime.InteropServices;

namespace NativeThreading.Workloads.Idle;

/// <summary>A producer that does something at a fixed interval, and sleeps in the kernel in between.</summary>
internal static unsafe partial class SteadyProducer
{
    private const int ClockMonotonic = 1;
    private const int AbsoluteTime = 1;
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Calls <paramref name="produce"/> that often, at equal distances.</summary>
    public static void Run(int count, TimeSpan interval, Action produce)
    {
        long next = (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); // CLOCK_MONOTONIC on Linux
        for (int i = 0; i < count; i++)
        {
            next += (long)interval.TotalNanoseconds;
            SleepUntil(next);
            produce();
        }
    }

    private static void SleepUntil(long time)
    {
        var until = new TimeSpec { Seconds = time / NanosecondsPerSecond, Nanoseconds = time % NanosecondsPerSecond };
        int error;
        do
        {
            error = clock_nanosleep(ClockMonotonic, AbsoluteTime, &until, null);
        }
        while (error == 4); // EINTR

        if (error != 0)
        {
            throw new MeasurementException($"clock_nanosleep failed with {error}.");
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int clock_nanosleep(int clock, int flags, TimeSpec* request, TimeSpec* remain);
}
