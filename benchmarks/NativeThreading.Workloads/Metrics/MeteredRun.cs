using NativeThreading.Diagnostics;

namespace NativeThreading.Workloads.Metrics;

/// <summary>One run: so many items, one way into the queues, measured in one way.</summary>
internal static class MeteredRun
{
    /// <summary>Between two questions of the listener that asks.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    private const int Items = 1_000_000;

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);
    private static readonly NativeThreadPool s_silent = NewPool("silent", measures: false);
    private static readonly NativeThreadPool s_measuring = NewPool("measuring", measures: true);
    private static readonly NativeThreadPool s_recording = NewPool("recording", measures: false, ItemRecording.Always);

    public static Sample Measure(QueueFrom from, Measuring measuring)
    {
        NativeThreadPool pool = measuring switch
        {
            Measuring.QueueDuration or Measuring.QueueDurationUnheard => s_measuring,
            Measuring.Recorded => s_recording,
            _ => s_silent,
        };
        using ListeningTo? listening = measuring is Measuring.Meter or Measuring.QueueDuration ? new(measuring, Interval) : null;
        using ThreadObserver? observer = measuring == Measuring.Observed ? new() : null;
        using var items = new ItemsToRun(pool, from);
        Meter meter = Meter.Start();
        items.Begin();
        bool ended = items.Wait(s_deadline);
        Reading reading = meter.Stop();
        if (!ended || items.Executed != Items)
        {
            throw new MeasurementException($"metrics/{from}/{measuring}: {items.Executed:N0} items ran instead of {Items:N0} (T122).");
        }

        if (observer is not null && observer.TakeSnapshot().Pools.All(static pool => pool.CompletedWorkItemCount < Items))
        {
            throw new MeasurementException($"metrics/{from}/{measuring}: the observer saw no pool that ran the items.");
        }

        long least = measuring == Measuring.QueueDuration ? Items : 1;
        if (listening is not null && listening.Measurements < least)
        {
            throw new MeasurementException($"metrics/{from}/{measuring}: {listening.Measurements:N0} measurements came instead of {least:N0} and more.");
        }

        return reading.NanosecondsPer(Items);
    }

    private static NativeThreadPool NewPool(string name, bool measures, ItemRecording records = ItemRecording.WhenObserved) =>
        new(new NativeThreadPoolOptions { Name = name, MinThreads = 1, MaxThreads = 1, MeasureQueueDuration = measures, RecordItems = records });

    /// <summary>One worker runs them all, so that no count is shared and each is exact.</summary>
    private sealed class ItemsToRun(NativeThreadPool pool, QueueFrom from) : IDisposable
    {
        private static readonly Action<ItemsToRun> s_next = static items => items.Next();
        private static readonly Action<ItemsToRun> s_count = static items => items.Count();

        private readonly ManualResetEventSlim _ended = new();

        public int Executed { get; private set; }

        public void Begin()
        {
            if (from != QueueFrom.Outside)
            {
                pool.UnsafeQueueUserWorkItem(s_next, this, preferLocal: false);
                return;
            }

            for (int i = 0; i < Items; i++)
            {
                pool.UnsafeQueueUserWorkItem(s_count, this, preferLocal: false);
            }
        }

        public bool Wait(TimeSpan timeout) => _ended.Wait(timeout);

        public void Dispose() => _ended.Dispose();

        private void Next()
        {
            if (Count() < Items)
            {
                pool.UnsafeQueueUserWorkItem(s_next, this, preferLocal: from == QueueFrom.WorkerLocal);
            }
        }

        private int Count()
        {
            if (++Executed == Items)
            {
                _ended.Set();
            }

            return Executed;
        }
    }
}
