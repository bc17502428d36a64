using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Instrumentation;

/// <summary>What all threads of a hostile run share: the seed, and the one point that is currently attacked. Long delays at one point,
/// another one every few milliseconds, find more than noise at all points.</summary>
internal static class ChaosRun
{
    /// <summary>From the environment, else new. It repeats the decisions of each thread, but not the kernel's schedule.</summary>
    public static readonly ulong Seed = ReadSeed();

    /// <summary>How often points delay: 100 is usual, 0 is never.</summary>
    public static readonly int Intensity = ReadInt("NTH_CHAOS_INTENSITY", 100);

    /// <summary>The longest sleep, in microseconds.</summary>
    public static readonly int LongestSleep = ReadInt("NTH_CHAOS_SLEEP_US", 2_000);

    /// <summary>If set, the points whose names contain it are attacked all the time.</summary>
    private static readonly string? s_chosen = Environment.GetEnvironmentVariable("NTH_CHAOS_POINT") is { Length: > 0 } chosen ? chosen : null;

    private static int s_period;
    private static long s_periodEnd;
    private static int s_target = -1;
    private static int s_threads;

    /// <summary>The number of the current period.</summary>
    public static int Period => Volatile.Read(ref s_period);

    /// <summary>Whether a point is attacked in this period.</summary>
    public static bool IsTarget(int point) => s_chosen is null ? point == Volatile.Read(ref s_target) : ChaosPoints.IsNamed(point, s_chosen);

    /// <summary>A number for a new thread.</summary>
    public static int NextThread() => Interlocked.Increment(ref s_threads);

    /// <summary>Begins the next period if the time of this one is over.</summary>
    public static void TurnPeriod(long now)
    {
        long end = Volatile.Read(ref s_periodEnd);
        if (now < end)
        {
            return;
        }

        ulong draw = Mix(Seed + (ulong)Period);
        int milliseconds = 1 << (int)(draw & 7) >> 1; // up to 64
        if (Interlocked.CompareExchange(ref s_periodEnd, now + Math.Max(1, milliseconds), end) == end)
        {
            int known = ChaosPoints.Count;
            Volatile.Write(ref s_target, known == 0 ? -1 : (int)((draw >> 8) % (ulong)known));
            Interlocked.Increment(ref s_period);
        }
    }

    /// <summary>Spreads every bit of a number over all of them.</summary>
    public static ulong Mix(ulong value)
    {
        value += 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    private static ulong ReadSeed()
    {
        if (!ulong.TryParse(Environment.GetEnvironmentVariable("NTH_CHAOS_SEED"), CultureInfo.InvariantCulture, out ulong seed))
        {
            seed = Mix((ulong)(Stopwatch.GetTimestamp() ^ Environment.ProcessId)) >> 40;
            ChaosDelay.SeedNative(seed);
        }

        Console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture, $"Hostile schedules: NTH_CHAOS_SEED={seed}"));
        return seed;
    }

    private static int ReadInt(string name, int usual) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), CultureInfo.InvariantCulture, out int value) ? value : usual;
}
