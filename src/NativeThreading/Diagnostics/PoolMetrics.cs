using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;

using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Diagnostics;

/// <summary>The instruments of one meter <c>NativeThreading</c>: that of the process, or that of an <see cref="IMeterFactory"/>. A
/// pool belongs to one of them for life, so nothing is measured twice.</summary>
/// <remarks>
/// <para>All but the durations are observable: when a listener asks, they read counts that the pool keeps anyway. So they cost nothing
/// in between, and a listener that starts late sees correct values.</para>
/// <para>The first meter of a process takes milliseconds, which the first item of the process would wait for. So a pool creates the
/// instruments of the process at once only if the process has a meter already, without which there is no listener. Otherwise
/// <c>LateStart</c> creates them.</para>
/// </remarks>
internal sealed class PoolMetrics
{
    public const string Name = "NativeThreading";
    public const string PoolTag = "native_threading.pool.name";

    private static readonly PoolMetrics s_process = new();

    private Meter? _meter;
    private int _isClaimed;
    private Histogram<double>? _starvation;
    private Histogram<double>? _queueDuration;

    private PoolMetrics()
    {
    }

    private PoolMetrics(Meter meter)
    {
        _isClaimed = 1;
        Create(meter);
    }

    /// <summary>Whether a listener wants to know how long items wait.</summary>
    public bool WantsQueueDuration => Volatile.Read(ref _queueDuration)?.Enabled == true;

    /// <summary>The metrics of a factory, the same each time, or those of the process. Those of a factory are created here, and existing
    /// listeners learn of them.</summary>
    public static PoolMetrics Of(IMeterFactory? factory) => factory is null ? s_process : Factories.MetricsOf(factory);

    /// <summary>Of the meter, which the loops' instruments share.</summary>
    public static MeterOptions Options() => new(Name) { Version = typeof(PoolMetrics).Assembly.GetName().Version?.ToString() };

    /// <summary>Creates the instruments, once, unless <c>LateStart</c> will.</summary>
    /// <param name="pool">The new pool.</param>
    /// <param name="isLate">Whether <c>LateStart</c> is over, read after the pool was registered.</param>
    public void PublishUnlessLater(NativeThreadPool pool, bool isLate)
    {
        if (Volatile.Read(ref _isClaimed) == 0 && (isLate || pool.MeasuresQueueDuration || LoadContextEnd.IsPossible || HasMeters))
        {
            Publish();
        }
    }

    /// <summary>Creates the instruments, once. What a listener throws must not end the monitor (T138).</summary>
    public void PublishByMonitor(NativeThreadPool pool)
    {
        try
        {
            Publish();
        }
        catch (Exception exception)
        {
            pool.ListenerFailures.Note(exception);
        }
    }

    /// <summary>Whether the process has a meter or a listener: with the first one, the runtime creates this source.</summary>
    private static bool HasMeters
    {
        get
        {
            foreach (EventSource source in EventSource.GetSources())
            {
                if (source.Name == "System.Diagnostics.Metrics")
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Calls listeners, which are foreign code. Never inlined: code that mentions a meter makes the runtime load its assembly.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Publish()
    {
        if (Interlocked.Exchange(ref _isClaimed, 1) == 0)
        {
            Create(new Meter(Options()));
            LoadContextEnd.Register(_meter!.Dispose);
        }
    }

    private void Create(Meter meter)
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
        Count(meter, "work_item.expired", "{work_item}", "Items that did not start within their time limit.", static pool => pool.ExpiredWorkItemCount);
        Count(meter, "wakeups", "{wakeup}", "Parked threads that were woken for work.", static pool => pool.WakeCount);
        Count(meter, "steals", "{steal}", "Number of times that a thread took one or more items from another thread's queues.", static pool => pool.StealCount);
        Count(meter, "watchdog.recoveries", "{recovery}", "Lost wake-ups that were repeated; a value above 0 is a bug in NativeThreading.", static pool => pool.RepairCount);
        Volatile.Write(ref _starvation, meter.CreateHistogram<double>(
            "native_threading.pool.starvation.duration", "s", "Time that work waited while every thread of the pool was blocked."));
        Volatile.Write(ref _queueDuration, CreateQueueDuration(meter));
    }

    /// <summary>On the monitor's thread. Throws nothing.</summary>
    public void Starved(NativeThreadPool pool, TimeSpan duration)
    {
        PublishByMonitor(pool);
        Record(Volatile.Read(ref _starvation), pool, duration);
    }

    /// <summary>On the thread that is about to run the item. Throws nothing.</summary>
    public void Waited(NativeThreadPool pool, TimeSpan duration) => Record(Volatile.Read(ref _queueDuration), pool, duration);

    /// <summary>Calls listeners at once. What a listener throws must not reach the item or the pool (T138).</summary>
    private static void Record(Histogram<double>? histogram, NativeThreadPool pool, TimeSpan duration)
    {
        try
        {
            histogram?.Record(duration.TotalSeconds, Tag(pool.Name));
        }
        catch (Exception exception)
        {
            pool.ListenerFailures.Note(exception);
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

    /// <summary>The metrics of factories. A class of its own, because it makes the runtime load the assembly of
    /// <see cref="IMeterFactory"/>.</summary>
    private static class Factories
    {
        private static readonly ConditionalWeakTable<IMeterFactory, PoolMetrics> s_metrics = [];

        static Factories() => LoadContextEnd.Register(End);

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static PoolMetrics MetricsOf(IMeterFactory factory) =>
            s_metrics.GetValue(factory, static factory => new PoolMetrics(factory.Create(Options())));

        /// <summary>The runtime lists every meter until it is disposed, and a meter refers to our functions. A container's meter
        /// ignores this call: it ends with its container.</summary>
        private static void End()
        {
            foreach ((_, PoolMetrics metrics) in s_metrics)
            {
                metrics._meter!.Dispose();
            }

            s_metrics.Clear();
        }
    }
}
