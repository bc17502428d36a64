using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads.Order;

/// <summary>Computing that takes about as long as it is asked to. A fixed amount, measured once, not a wait for the clock: an item that was
/// interrupted has as much left to do.</summary>
internal static class BusyWork
{
    private const int MeasuredSteps = 200_000;

    [ThreadStatic]
    private static ulong t_sink;

    private static readonly double s_stepsPerMicrosecond = Calibrate();

    public static int StepsFor(double microseconds) => Math.Max(1, (int)Math.Round(microseconds * s_stepsPerMicrosecond));

    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    public static void Compute(int steps)
    {
        ulong x = (ulong)steps;
        for (int i = 0; i < steps; i++)
        {
            x = (x * 6364136223846793005) + 1442695040888963407;
        }

        t_sink = x;
    }

    // The best of many: the others were interrupted.
    private static double Calibrate()
    {
        double best = double.MaxValue;
        for (int i = 0; i < 50; i++)
        {
            long start = Stopwatch.GetTimestamp();
            Compute(MeasuredSteps);
            best = Math.Min(best, Stopwatch.GetElapsedTime(start).TotalMicroseconds);
        }

        return MeasuredSteps / best;
    }
}
