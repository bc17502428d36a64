using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tracing;
using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>The work that a process needs soon after its first item and that costs milliseconds: the measurement of a wake, and the instruments of
/// the process, if no pool has created them. The monitor's thread does it, once, a tenth of a second after its first start. So no constructor and no
/// item waits for it, and no thread starts for it.</summary>
internal static class LateStart
{
    private static bool s_isOver;
    private static long s_began; // only the monitor's thread uses it, of which there is one at a time

    /// <summary>Whether the instruments have been created, or are being created: a pool from now on creates its own.</summary>
    public static bool IsOver => Volatile.Read(ref s_isOver);

    /// <summary>On the monitor's thread: does the work if it is due. Returns for how long the thread may sleep until then, of
    /// <paramref name="planned"/>.</summary>
    public static TimeSpan Continue(TimeSpan planned)
    {
        if (s_isOver)
        {
            return planned;
        }

        s_began = s_began == 0 ? Stopwatch.GetTimestamp() : s_began;
        TimeSpan left = StarvationTuning.LateStartAfter - Stopwatch.GetElapsedTime(s_began);
        if (left > TimeSpan.Zero)
        {
            return planned < TimeSpan.Zero || left < planned ? left : planned;
        }

        // Before the list of pools is read. A pool is added to that list before its constructor reads the flag.
        Volatile.Write(ref s_isOver, true);
        Chaos.Point("LateStart.Continue, over");
        LingerBudget.Measure();
        Publish();
        return planned;
    }

    /// <summary>Never inlined: the frame of the monitor's loop would keep the last pool alive. Throws nothing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Publish()
    {
        foreach (NativeThreadPool pool in PoolRegistry.Pools)
        {
            pool.Metrics.PublishByMonitor(pool);
        }
    }
}
