using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>What dotnet-counters and dotnet-trace see: the event source's counters, and items by keyword.</summary>
public sealed class EventSourceTests
{
    private const EventKeywords WorkItems = (EventKeywords)1;

    [Fact]
    public void Counters_AreToldWhileSomebodyAsks()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "counted", MinThreads = 2, MaxThreads = 2 });
        pool.StartMinThreads();
        using var listener = new Listener(EventLevel.Warning, EventKeywords.None, new() { ["EventCounterIntervalSec"] = "0.1" });
        string[] names =
        [
            "queue-length", "steals", "thread-active-count", "thread-blocked-count", "thread-count", "thread-injected-count",
            "thread-rescued-count", "wakeups", "watchdog-recoveries", "work-item-count",
        ];
        Deadline.Until(() => names.All(name => listener.Counters.ContainsKey(name)));
        Assert.Equal(names, listener.Counters.Keys.Order());
        Assert.True(listener.Counters["thread-count"] >= 2);
        for (int i = 0; i < 1_000; i++)
        {
            pool.QueueUserWorkItem(_ => { });
        }

        Deadline.Until(() => listener.Highest("work-item-count") >= 1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Items_AreTracedByKeyword_WhetherThePoolWasThereBefore(bool poolFirst)
    {
        string name = $"traced-{poolFirst}";
        NativeThreadPool? pool = poolFirst ? NewPool() : null;
        using var listener = new Listener(EventLevel.Verbose, WorkItems);
        using (pool ??= NewPool())
        {
            for (int i = 0; i < 3; i++)
            {
                pool.QueueUserWorkItem(_ => { });
            }
        }

        Assert.Equal(3, listener.Of("WorkItemStart", name).Count);
        Assert.Equal(3, listener.Of("WorkItemStop", name).Count);
        Assert.All(listener.Of("WorkItemStart", name), start => Assert.InRange((long)start.Payload![1]!, 0, 30_000_000));

        NativeThreadPool NewPool() => new(new NativeThreadPoolOptions { Name = name, MaxThreads = 1 });
    }

    [Fact]
    public void Items_AreNotTraced_WithoutTheKeyword()
    {
        using var listener = new Listener(EventLevel.Verbose, (EventKeywords)0x10);
        using (var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "untraced" }))
        {
            pool.QueueUserWorkItem(_ => { });
        }

        Assert.Empty(listener.Of("WorkItemStart", "untraced"));
    }

    private sealed class Listener : EventListener
    {
        private readonly ConcurrentQueue<EventWrittenEventArgs> _events = new();
        private readonly ConcurrentDictionary<string, double> _highest = new();

        public Listener(EventLevel level, EventKeywords keywords, Dictionary<string, string?>? arguments = null)
        {
            using (new NativeThreadPool())
            {
                // The source exists from the first pool on.
            }

            EnableEvents(EventSource.GetSources().Single(source => source.Name == "NativeThreading"), level, keywords, arguments);
        }

        public ConcurrentDictionary<string, double> Counters { get; } = new();

        public double Highest(string counter) => _highest.GetValueOrDefault(counter);

        public List<EventWrittenEventArgs> Of(string name, string pool) =>
            [.. _events.Where(e => e.EventName == name && e.Payload![0] as string == pool)];

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName != "EventCounters")
            {
                _events.Enqueue(eventData);
                return;
            }

            var counter = (IDictionary<string, object?>)eventData.Payload![0]!;
            double value = Convert.ToDouble(counter.TryGetValue("Mean", out object? mean) ? mean : counter["Increment"], null);
            Counters[(string)counter["Name"]!] = value;
            _highest.AddOrUpdate((string)counter["Name"]!, value, (_, before) => Math.Max(before, value));
        }
    }
}
