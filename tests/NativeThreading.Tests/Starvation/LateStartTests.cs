using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Starvation;
using NativeThreading.Tests.Support;
using NativeThreading.Tracing;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Starvation;

/// <summary>The work that a process does soon after its first item. Each test has a process of its own, because the work is done once.</summary>
public sealed class LateStartTests
{
    private const string Completed = "native_threading.pool.work_item.count";

    [Fact]
    public Task Constructor_CreatesNoMeter_WithoutListener() => AssertSucceedsAsync(Construct);

    [Fact]
    public Task PoolThatNeverRan_HasInstruments_ForAListenerFromBefore() => AssertSucceedsAsync(ListenToUnusedPool);

    [Fact]
    public Task ListenerThatStartsAfterTheFirstItem_SeesThatItem() => AssertSucceedsAsync(ListenMeanwhile);

    [Fact]
    public Task PoolThatIsDisposedBeforeThePublication_IsCounted() => AssertSucceedsAsync(DisposeFirst);

    [Fact]
    public Task PoolWhoseItemsWaitAllTheTime_IsCounted() => AssertSucceedsAsync(Saturate);

    [Fact]
    public Task PoolThatIsCreatedLater_HasInstrumentsAtOnce() => AssertSucceedsAsync(CreateLater);

    [Fact]
    public Task FirstItem_IsTraced() => AssertSucceedsAsync(TraceFirst);

    [Fact]
    public Task Wake_IsMeasured_AfterTheFirstItem() => AssertSucceedsAsync(MeasureWake);

    private static bool HasMeter => EventSource.GetSources().Any(static source => source.Name == "System.Diagnostics.Metrics");

    private static async Task AssertSucceedsAsync(Func<int> main)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(main);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int Construct()
    {
        NativeThreadPool[] pools = [.. Enumerable.Range(0, 500).Select(static _ => new NativeThreadPool())];
        Assert.False(HasMeter);
        Assert.False(LingerBudget.IsMeasured);
        Assert.False(StarvationMonitor.IsThere);
        pools[0].OnWorker(static () => { });
        Deadline.Until(static () => HasMeter);
        using var counts = new Counts();
        counts.AwaitItems(1);
        return 0;
    }

    private static int ListenToUnusedPool()
    {
        using var counts = new Counts();
        using var pool = new NativeThreadPool();
        Assert.Equal(0, counts.Items);
        Assert.False(StarvationMonitor.IsThere);
        return 0;
    }

    private static int ListenMeanwhile()
    {
        using var pool = new NativeThreadPool();
        pool.OnWorker(static () => { });
        using var counts = new Counts();
        counts.AwaitItems(1);
        return 0;
    }

    private static int DisposeFirst()
    {
        var pool = new NativeThreadPool();
        pool.OnWorker(static () => { });
        pool.Dispose();
        Deadline.Until(static () => HasMeter);
        using var counts = new Counts();
        counts.AwaitItems(1);
        GC.KeepAlive(pool);
        return 0;
    }

    private static int Saturate()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        using var blocked = new BlockedWorkers(pool, 1);
        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        Deadline.Until(static () => HasMeter);
        Assert.Equal(1, pool.PendingWorkItemCount);
        return 0;
    }

    private static int CreateLater()
    {
        RunAndForget();
        GC.Collect();
        Deadline.Until(static () => LateStart.IsOver);
        using var pool = new NativeThreadPool();
        Deadline.Until(static () => HasMeter);
        return 0;

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void RunAndForget()
        {
            using var pool = new NativeThreadPool();
            pool.OnWorker(static () => { });
        }
    }

    private static int TraceFirst()
    {
        using var trace = new Trace();
        using var pool = new NativeThreadPool();
        pool.OnWorker(static () => { });
        Deadline.Until(() => trace.Items == 1);
        return 0;
    }

    private static int MeasureWake()
    {
        bool one = LingerBudget.UsableProcessors == 1;
        Assert.Equal(one ? 0 : SpinTuning.Ticks(CoreChoice.IsManaged ? SpinTuning.ManagedWakeNs : SpinTuning.UsualWakeNs), LingerBudget.Duration);
        using var pool = new NativeThreadPool();
        pool.OnWorker(static () => { });
        Deadline.Until(static () => LingerBudget.IsMeasured);
        Assert.Equal(SpinTuning.Ticks(LingerBudget.WakeLatencyNanoseconds), LingerBudget.Duration);
        return 0;
    }

    private sealed class Trace : EventListener
    {
        private int _items;

        public int Items => Volatile.Read(ref _items);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == nameof(NativeThreading))
            {
                EnableEvents(eventSource, EventLevel.Verbose, NativeThreadingEventSource.Keywords.WorkItems);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName == nameof(NativeThreadingEventSource.WorkItemStop))
            {
                Interlocked.Increment(ref _items);
            }
        }
    }

    /// <summary>Reads the count of completed items.</summary>
    private sealed class Counts : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly ConcurrentDictionary<string, long> _values = new();

        public Counts()
        {
            _listener.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == PoolMetrics.Name)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => _values[instrument.Name] = value);
            _listener.Start();
        }

        /// <summary>-1 if there is no such instrument.</summary>
        public long Items
        {
            get
            {
                _listener.RecordObservableInstruments();
                return _values.GetValueOrDefault(Completed, -1);
            }
        }

        public void AwaitItems(int count) => Deadline.Until(() => Items == count);

        public void Dispose() => _listener.Dispose();
    }
}
