using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace NativeThreading.Diagnostics;

/// <summary>The instruments of one meter <c>NativeThreading</c>: that of the process, or that of an <see cref="IMeterFactory"/>. A
/// pool belongs to one of them for life, so nothing is measured twice.</summary>
/// <remarks>All but the durations are observable: when a listener asks, they read counts that the pool keeps anyway. So they cost nothing
/// in between, and a listener that comes late sees right values.</remarks>
internal sealed class PoolMetrics
{
    public const string Name = "NativeThreading";
    public const string PoolTag = "native_threading.pool.name";

    private static readonly Lazy<PoolMetrics> s_static = new(static () => new PoolMetrics(new Meter(Options())));
    private static readonly ConditionalWeakTable<IMeterFactory, PoolMetrics> s_byFactory = [];

    private readonly Meter _meter;
    private readonly Histogram<double> _starvation;
    private readonly Histogram<double> _queueDuration;

    static PoolMetrics() => LoadContextEnd.Register(End);

    private PoolMetrics(Meter meter)
    {
        _meter = meter;
        UpDown(meter, "thread.count", "{thread}", "Workers of the pool, whether running, blocked or parked.", static pool => pool.ThreadCount);
        UpDown(meter, "thread.active", "{thread}", "Running threads: neither parked nor known to be blocked.", static pool => pool.ActiveThreadCount);
        UpDown(meter, "thread.blocked", "{thread}", "Threads that are known to be blocked.", static pool => pool.BlockedThreadCount);
        UpDown(meter, "thread.long_running", "{thread}", "Threads that run a LongRunning task; not included in thread.count.", static pool => pool.LongRunningThreadCount);
        UpDown(meter, "queue.length", "{work_item}", "Items that are queued and have not started.", static pool => pool.PendingWorkItemCount);
        Count(meter, "thread.injected", "{thread}", "Threads that were added to replace blocked ones.", static pool => pool.InjectedThreadCount);
        Count(meter, "thread.rescued", "{thread}", "Rescue threads that were started or called back beyond the limits.", static pool => pool.RescuedThreadCount);
        Count(meter, "work_item.count", "{work_item}", "Completed items.", static pool => pool.CompletedWorkItemCount);
        Count(meter, "work_item.rejected", "{work_item}", "Items that were rejected because the queue was full.", static pool => pool.RejectedWorkItemCount);
        Count(meter, "wakeups", "{wakeup}", "Parked threads that were woken for work.", static pool => pool.WakeCount);
        Count(meter, "steals", "{steal}", "Number of times that a thread took one or more items from another thread's queues.", static pool => pool.StealCount);
        Count(meter, "watchdog.recoveries", "{recovery}", "Lost wake-ups that were repeated; a value above 0 is a bug in NativeThreading.", static pool => pool.RepairCount);
        _starvation = meter.CreateHistogram<double>(
            "native_threading.pool.starvation.duration", "s", "Time that work waited while every thread of the pool was blocked.");
        _queueDuration = CreateQueueDuration(meter);
    }

    /// <summary>Whether a listener wants to know how long items wait.</summary>
    public bool WantsQueueDuration => _queueDuration.Enabled;

    /// <summary>The instruments of a factory, the same each time, or those of the process. Existing listeners learn of them.</summary>
    public static PoolMetrics Of(IMeterFactory? factory) =>
        factory is null ? s_static.Value : s_byFactory.GetValue(factory, static factory => new PoolMetrics(factory.Create(Options())));

    /// <summary>Of the meter, which the loops' instruments share.</summary>
    public static MeterOptions Options() => new(Name) { Version = typeof(PoolMetrics).Assembly.GetName().Version?.ToString() };

    /// <summary>On the monitor's thread. Throws nothing.</summary>
    public void Starved(NativeThreadPool pool, TimeSpan duration) => Record(_starvation, pool, duration);

    /// <summary>On the thread that is about to run the item. Throws nothing.</summary>
    public void Waited(NativeThreadPool pool, TimeSpan duration) => Record(_queueDuration, pool, duration);

    /// <summary>Calls listeners at once. What a listener throws must not reach the item or the pool (T138).</summary>
    private static void Record(Histogram<double> histogram, NativeThreadPool pool, TimeSpan duration)
    {
        try
        {
            histogram.Record(duration.TotalSeconds, Tag(pool.Name));
        }
        catch (Exception exception)
        {
            pool.ListenerFailures.Note(exception);
        }
    }

    /// <summary>The runtime lists every meter until it is disposed, and a meter refers to our functions. A container's meter
    /// ignores this call: it ends with its container.</summary>
    private static void End()
    {
        foreach ((_, PoolMetrics metrics) in s_byFactory)
        {
            metrics._meter.Dispose();
        }

        s_byFactory.Clear();
        if (s_static.IsValueCreated)
        {
            s_static.Value._meter.Dispose();
        }
    }

    /// <summary>A histogram with buckets that suit waits.</summary>
    private static Histogram<double> CreateQueueDuration(Meter meter)
    {
        const string name = "native_threading.pool.queue.duration";
        const string description = "Time that items waited in the queues, for pools that measure it.";
        return meter.CreateHistogram(
            name,
            "s",
            description,
            tags: null,
            new InstrumentAdvice<double> { HistogramBucketBoundaries = [1e-6, 1e-5, 1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] });
    }

    private static KeyValuePair<string, object?> Tag(string pool) => new(PoolTag, pool);

    private void UpDown(Meter meter, string name, string unit, string description, Func<NativeThreadPool, long> read) =>
        meter.CreateObservableUpDownCounter($"native_threading.pool.{name}", () => Observe(read), unit, description);

    private void Count(Meter meter, string name, string unit, string description, Func<NativeThreadPool, long> read) =>
        meter.CreateObservableCounter($"native_threading.pool.{name}", () => Observe(read), unit, description);

    /// <summary>One measurement for each name of a pool.</summary>
    private IEnumerable<Measurement<long>> Observe(Func<NativeThreadPool, long> read) =>
        PoolRegistry.Pools
            .Where(pool => pool.Metrics == this)
            .GroupBy(static pool => pool.Name, (name, pools) => new Measurement<long>(Total([.. pools], read), Tag(name)));

    /// <summary>The sum over the pools of one name that have not stopped; without a container there may be several. Where all have
    /// stopped, the value of the last: so what is exported at the very end is complete.</summary>
    private static long Total(NativeThreadPool[] pools, Func<NativeThreadPool, long> read) =>
        Array.TrueForAll(pools, static pool => pool.IsStopped) ? read(pools[^1]) : pools.Where(static pool => !pool.IsStopped).Sum(read);
}
