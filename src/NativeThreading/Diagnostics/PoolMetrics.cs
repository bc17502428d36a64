using System.Diagnostics.Metrics;

namespace NativeThreading.Diagnostics;

/// <summary>
/// The meter <c>NativeThreading</c>. All of this happens on slow paths; with nobody listening a measurement costs one
/// test.
/// </summary>
internal static class PoolMetrics
{
    public const string Name = "NativeThreading";
    public const string PoolTag = "native_threading.pool.name";

    private static readonly Meter s_meter = new(Name, typeof(PoolMetrics).Assembly.GetName().Version?.ToString());

    private static readonly UpDownCounter<int> s_blocked = s_meter.CreateUpDownCounter<int>(
        "native_threading.pool.thread.blocked", "{thread}", "Threads of the pool that are known to be blocked.");

    private static readonly Counter<int> s_injected = s_meter.CreateCounter<int>(
        "native_threading.pool.thread.injected", "{thread}", "Threads that were put to work in place of blocked ones.");

    private static readonly Histogram<double> s_starvation = s_meter.CreateHistogram<double>(
        "native_threading.pool.starvation.duration", "s", "How long work waited while every thread of the pool was blocked.");

    private static readonly Counter<int> s_recoveries = s_meter.CreateCounter<int>(
        "native_threading.pool.watchdog.recoveries", "{recovery}", "Wakes that were lost and repeated; anything but 0 is a defect.");

    /// <summary>Makes the instruments known to whoever listens already.</summary>
    public static void Publish() => _ = s_meter.Name;

    public static void Blocked(NativeThreadPool pool, int change) => s_blocked.Add(change, Tag(pool));

    public static void Injected(NativeThreadPool pool, int threads) => s_injected.Add(threads, Tag(pool));

    public static void Starved(NativeThreadPool pool, TimeSpan duration) => s_starvation.Record(duration.TotalSeconds, Tag(pool));

    public static void Recovered(NativeThreadPool pool) => s_recoveries.Add(1, Tag(pool));

    private static KeyValuePair<string, object?> Tag(NativeThreadPool pool) => new(PoolTag, pool.Name);
}
