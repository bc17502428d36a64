using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Platform;

namespace NativeThreading.Instrumentation;

/// <summary>How a point delays its thread. Sleeps are made in native code: no interrupt ends them, and they may be short.</summary>
internal static partial class ChaosDelay
{
    /// <summary>The time, for comparison.</summary>
    public static long Now => Stopwatch.GetTimestamp();

    /// <summary>Keeps the processor.</summary>
    public static void Spin(TimeSpan time)
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < time)
        {
            Thread.SpinWait(1);
        }
    }

    /// <summary>Leaves the processor to others.</summary>
    public static void Sleep(int microseconds) => nth_chaos_sleep(microseconds * 1_000L);

    /// <summary>The C code's points draw from the same seed.</summary>
    public static void SeedNative(ulong seed) => nth_chaos_seed(seed);

    [LibraryImport(NativeMethods.Library)]
    private static partial void nth_chaos_sleep(long nanoseconds);

    [LibraryImport(NativeMethods.Library)]
    private static partial void nth_chaos_seed(ulong seed);
}
