using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.HealthChecks;

/// <summary>When a pool counts as in trouble, and what the check reports about it.</summary>
public sealed class HealthCheckTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);

    [Fact]
    public async Task PoolWithoutTrouble_IsHealthy_WithItsCounts()
    {
        await using var host = With(options => options.MaxThreads = 3, _ => { });
        HealthReportEntry entry = await CheckAsync(host);
        Assert.Equal((HealthStatus.Healthy, "Pool 'reports' is making progress."), (entry.Status, entry.Description));
        Assert.Equal(
            new Dictionary<string, object>
            {
                ["pool"] = "reports",
                ["threads"] = 0,
                ["maxThreads"] = 3,
                ["blockedThreads"] = 0,
                ["pendingWorkItems"] = 0L,
                ["completedWorkItems"] = 0L,
                ["oldestWorkItemAge"] = TimeSpan.Zero,
                ["allThreadsBlockedFor"] = TimeSpan.Zero,
                ["conditions"] = Array.Empty<string>(),
            },
            entry.Data);
    }

    [Fact]
    public async Task LongItemsThatHoldEveryThread_WhileOthersWait_AreDegraded_UntilTheyEnd()
    {
        bool ends = false;

        // No other worker runs the waiting item, even if the first worker is found blocked, in the compiler for example.
        await using var host = With(
            options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0),
            limits => (limits.MaxWorkItemAge, limits.MaxBlockedDuration) = (s_soon, s_never));
        NativeThreadPool pool = host.Pool("reports");
        pool.QueueUserWorkItem(_ =>
        {
            while (!Volatile.Read(ref ends))
            {
                Thread.SpinWait(50);
            }
        });
        try
        {
            pool.QueueUserWorkItem(_ => { });
            HealthReportEntry entry = await AwaitAsync(host, HealthStatus.Degraded);
            Assert.Matches(@"^The oldest item of pool 'reports' has waited for \S+ s; the limit is 0.2 s\.$", entry.Description);
            Assert.True((TimeSpan)entry.Data["oldestWorkItemAge"] > s_soon);
            Assert.Equal(0, entry.Data["blockedThreads"]);
            Assert.Equal(1, entry.Data["threads"]);
        }
        finally
        {
            Volatile.Write(ref ends, true);
        }

        await AwaitAsync(host, HealthStatus.Healthy);
    }

    [Fact]
    public async Task EveryThreadBlocked_IsDegraded_UntilOneRuns()
    {
        await using var host = With(
            options => (options.MaxThreads, options.MaxBlockedThreads) = (2, 0),
            limits => (limits.MaxWorkItemAge, limits.MaxBlockedDuration) = (s_never, s_soon));
        NativeThreadPool pool = host.Pool("reports");
        using (new StuckItem(pool))
        {
            pool.QueueUserWorkItem(_ => { });
            Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status); // one thread is free
            using (new StuckItem(pool))
            {
                pool.QueueUserWorkItem(_ => { });
                HealthReportEntry entry = await AwaitAsync(host, HealthStatus.Degraded);
                Assert.Matches(@"^All threads of pool 'reports' have been blocked for \S+ s; the limit is 0.2 s\.$", entry.Description);
                Assert.Equal((2, 2, 1L), (entry.Data["threads"], entry.Data["blockedThreads"], entry.Data["pendingWorkItems"]));
            }

            await AwaitAsync(host, HealthStatus.Healthy);
        }
    }

    [Fact]
    public async Task NameStatusAndTags_AreTheCallers()
    {
        await using var host = new TestHost(services => services.AddNativeThreadPool("reports", options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0))
            .AddHealthCheck(limits => limits.MaxBlockedDuration = s_soon, "my-check", HealthStatus.Unhealthy, ["ready"])
            .AddHealthCheck());
        using (new StuckItem(host.Pool("reports")))
        {
            host.Pool("reports").QueueUserWorkItem(_ => { });
            await AwaitAsync(host, HealthStatus.Unhealthy, "my-check");
        }

        HealthReport report = await host.Provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);
        Assert.Equal(["my-check", "native-threading:reports"], report.Entries.Keys.Order());
        Assert.Equal(["ready"], report.Entries["my-check"].Tags);
    }

    [Theory]
    [InlineData(nameof(NativeThreadPoolHealthCheckOptions.MaxWorkItemAge), 0)]
    [InlineData(nameof(NativeThreadPoolHealthCheckOptions.MaxWorkItemAge), -1)]
    [InlineData(nameof(NativeThreadPoolHealthCheckOptions.MaxBlockedDuration), 0)]
    [InlineData(nameof(NativeThreadPoolHealthCheckOptions.MaxBlockedDuration), -1)]
    public void LimitThatIsNotPositive_IsRefusedByName(string limit, int seconds)
    {
        INativeThreadPoolBuilder builder = new ServiceCollection().AddNativeThreadPool();
        var refused = Assert.Throws<ArgumentOutOfRangeException>(limit, () => builder.AddHealthCheck(limits =>
            typeof(NativeThreadPoolHealthCheckOptions).GetProperty(limit)!.SetValue(limits, TimeSpan.FromSeconds(seconds))));
        Assert.Contains($"{limit} must be positive, but was {TimeSpan.FromSeconds(seconds)}.", refused.Message, StringComparison.Ordinal);
    }

    private static TestHost With(Action<NativeThreadPoolOptions> pool, Action<NativeThreadPoolHealthCheckOptions> limits) =>
        new(services => services.AddNativeThreadPool("reports", pool).AddHealthCheck(limits));

    private static async Task<HealthReportEntry> CheckAsync(TestHost host, string name = "native-threading:reports") =>
        (await host.Provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken)).Entries[name];

    private static async Task<HealthReportEntry> AwaitAsync(TestHost host, HealthStatus status, string name = "native-threading:reports")
    {
        using var deadline = new CancellationTokenSource(Deadline.Time);
        HealthReportEntry entry;
        while ((entry = await CheckAsync(host, name)).Status != status)
        {
            Assert.False(deadline.IsCancellationRequested, $"stays {entry.Status}: {entry.Description} {string.Join(", ", entry.Data)}");
            await Task.Delay(10, CancellationToken.None); // between two questions, as a prober does
        }

        return entry;
    }
}
