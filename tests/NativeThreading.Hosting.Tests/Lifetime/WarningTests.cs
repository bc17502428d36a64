using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting.Tests.Support;
using NativeThreading.Tracing;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>Warnings and errors of a pool appear in the log of its host, at most one of a kind in ten seconds.</summary>
public sealed class WarningTests
{
    private const int Injected = 105, BlockedLimit = 107, Rescue = 124;

    [Fact]
    public async Task FirstInjection_IsAWarning_WithTheCountsByName()
    {
        await using TestHost host = await StartAsync("warned-injected", maxBlockedThreads: 10);
        NativeThreadPool pool = host.Pool("warned-injected");

        using (new StuckItem(pool))
        {
            await RunBehindAsync(pool);
        }

        string text = await WarningAsync(host, Injected);
        Assert.StartsWith("Pool 'warned-injected': 1 more threads are blocked while work is waiting; 1 threads were added, ", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task BlockedLimit_IsAnError()
    {
        await using TestHost host = await StartAsync("warned-limit", maxBlockedThreads: 0);
        NativeThreadPool pool = host.Pool("warned-limit");

        Task behind;
        using (new StuckItem(pool))
        {
            behind = RunBehindAsync(pool);
            Assert.Contains("MaxBlockedThreads (0) is reached", await MessageAsync(host, BlockedLimit, LogLevel.Error), StringComparison.Ordinal);
        }

        await behind;
    }

    [Fact]
    public async Task ManyOfAKind_AreOneWarning_AndTheNextHasTheNumberOfSuppressedOnes()
    {
        var time = new SettableTime();
        await using TestHost host = await StartAsync("warned-often", maxBlockedThreads: 10, time);
        NativeThreadPool pool = host.Pool("warned-often");
        using var meter = new MeterRecord(host.Provider.GetRequiredService<IMeterFactory>());

        for (int i = 0; i < 3; i++)
        {
            await InjectAsync();
        }

        Assert.Single(All());
        time.Advance(TimeSpan.FromSeconds(10));
        await InjectAsync();

        Deadline.Until(() => All().Length == 2);
        Assert.EndsWith(" 2 similar messages suppressed.", All()[1].Text, StringComparison.Ordinal);

        (LogLevel Level, int Id, string Text)[] All() => [.. host.Log.All.Where(record => record.Id == Injected)];

        double Injections() => meter.Now("warned-often", "thread.injected");

        // Until the pool is as it was before: each is an injection of its own.
        async Task InjectAsync()
        {
            double before = Injections();
            using (new StuckItem(pool))
            {
                await RunBehindAsync(pool);
                Deadline.Until(() => Injections() > before);
                Deadline.Until(() => All().Length != 0);
            }

            Deadline.Until(() => pool.BlockedThreadCount == 0);
        }
    }

    [Fact]
    public async Task EventThatCountsItsOwnRepeats_IsLoggedWithTheSumOfBoth()
    {
        var time = new SettableTime();
        await using TestHost host = await StartAsync("warned-rescue", maxBlockedThreads: 10, time);

        NativeThreadingEventSource.Log.RescueStarted("warned-rescue", 12, 10, 30, suppressed: 0);
        NativeThreadingEventSource.Log.RescueStarted("warned-rescue", 12, 10, 30, suppressed: 0);
        Deadline.Until(() => All().Length == 1);
        time.Advance(TimeSpan.FromSeconds(10));
        NativeThreadingEventSource.Log.RescueStarted("warned-rescue", 12, 10, 30, suppressed: 3);

        Deadline.Until(() => All().Length == 2);
        Assert.EndsWith("or raise MaxBlockedThreads.", All()[0].Text, StringComparison.Ordinal);
        Assert.EndsWith("or raise MaxBlockedThreads. 4 similar messages suppressed.", All()[1].Text, StringComparison.Ordinal);

        (LogLevel Level, int Id, string Text)[] All() => [.. host.Log.All.Where(record => record.Id == Rescue)];
    }

    [Fact]
    public async Task PoolsOutsideTheContainer_AreNotLogged()
    {
        await using TestHost host = await StartAsync("warned-own", maxBlockedThreads: 10);
        using var other = new NativeThreadPool(new NativeThreadPoolOptions { Name = "warned-other", MaxThreads = 1 });

        foreach (NativeThreadPool pool in new[] { other, host.Pool("warned-own") })
        {
            using (new StuckItem(pool))
            {
                await RunBehindAsync(pool);
            }
        }

        await WarningAsync(host, Injected);
        Assert.DoesNotContain(host.Log.All, record => record.Text.Contains("warned-other", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AfterTheStop_NothingIsLogged()
    {
        TestHost host = await StartAsync("warned-stopped", maxBlockedThreads: 10);
        await host.StopAsync();
        using var twin = new NativeThreadPool(new NativeThreadPoolOptions { Name = "warned-stopped", MaxThreads = 1 });
        await using TestHost later = await StartAsync("warned-stopped", maxBlockedThreads: 10);

        using (new StuckItem(twin))
        {
            await RunBehindAsync(twin);
        }

        await WarningAsync(later, Injected); // of the twin: only its name can be known
        Assert.DoesNotContain(host.Log.All, record => record.Id > PoolWarning.FirstId);
        await host.DisposeAsync();
    }

    [Fact]
    public async Task ALoggerThatThrows_DoesNotAffectThePool()
    {
        await using var host = new TestHost(services =>
        {
            services.AddSingleton<ILoggerProvider, ThrowingLogs>();
            services.AddNativeThreadPool("warned-thrown", options => options.MaxThreads = 1);
        });
        await host.StartAsync();
        NativeThreadPool pool = host.Pool("warned-thrown");

        using (new StuckItem(pool))
        {
            await RunBehindAsync(pool);
        }

        await WarningAsync(host, Injected);
        await host.StopAsync();
    }

    private static async Task<TestHost> StartAsync(string name, int maxBlockedThreads, TimeProvider? time = null)
    {
        var host = new TestHost(services =>
        {
            services.AddNativeThreadPool(name, options => (options.MaxThreads, options.MaxBlockedThreads) = (1, maxBlockedThreads));
            if (time is not null)
            {
                services.AddSingleton(time);
            }
        });
        return await host.StartAsync();
    }

    private static Task RunBehindAsync(NativeThreadPool pool) => Deadline.For(pool.Run(static () => { }), "an item behind a blocked one");

    private static Task<string> WarningAsync(TestHost host, int id) => MessageAsync(host, id, LogLevel.Warning);

    private static Task<string> MessageAsync(TestHost host, int id, LogLevel expected)
    {
        Deadline.Until(() => host.Log.All.Any(record => record.Id == id));
        (LogLevel level, _, string text) = host.Log.All.First(record => record.Id == id);
        Assert.Equal(expected, level);
        return Task.FromResult(text);
    }

    private sealed class SettableTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _now);

        public void Advance(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);
    }

    private sealed class ThrowingLogs : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                throw new InvalidOperationException("a logger that throws");
            }
        }

        public void Dispose()
        {
        }
    }
}
