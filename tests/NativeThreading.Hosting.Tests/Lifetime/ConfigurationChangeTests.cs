using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>Limits of threads change while the host runs. Other options are read once, and the log says so (T100).</summary>
public sealed class ConfigurationChangeTests
{
    private const string Section = "NativeThreading:Pools:reports";
    private const string MaxThreads = $"{Section}:MaxThreads";
    private const string QueueLimit = $"{Section}:QueueLimit";

    [Fact]
    public async Task T100_ChangedOption_IsLogged_AndHasNoEffect()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports"), (QueueLimit, "4")).StartAsync();
        host.Change(QueueLimit, "8");
        Assert.Equal(
            [(LogLevel.Warning, 7, $"Configuration value {QueueLimit} changed from 4 to 8. This option is read only at startup; restart the application to apply the change.")],
            host.Log.All.Where(record => record.Level == LogLevel.Warning));
        Assert.Equal(4, host.Pool("reports").QueueLimit);
    }

    [Fact]
    public async Task ChangedLimits_AreApplied_AndLogged()
    {
        await using TestHost host = await new TestHost(
            services => services.AddNativeThreadPool("reports"), (MaxThreads, "4"), ($"{Section}:MaxBlockedThreads", "10")).StartAsync();
        host.Change(MaxThreads, "8");
        Assert.Equal((8, 10), (host.Pool("reports").MaxThreads, host.Pool("reports").MaxBlockedThreads));
        host.Change($"{Section}:maxblockedthreads", "0");
        Assert.Equal((8, 0), (host.Pool("reports").MaxThreads, host.Pool("reports").MaxBlockedThreads));
        Assert.Equal(
            [
                (21, "The configuration has changed: pool 'reports' now runs up to 8 threads at the same time, and up to 10 blocked ones."),
                (21, "The configuration has changed: pool 'reports' now runs up to 8 threads at the same time, and up to 0 blocked ones."),
            ],
            host.Log.All.Where(static record => record.Level >= LogLevel.Information && record.Id == 21).Select(static record => (record.Id, record.Text)));
        Assert.Empty(host.Log.Warnings);
    }

    [Fact]
    public async Task LimitsThatCodeSets_StayAsTheyAre()
    {
        await using TestHost host = await new TestHost(
            services => services.AddNativeThreadPool("reports", static options => options.MaxThreads = 3), (MaxThreads, "4")).StartAsync();
        host.Change(MaxThreads, "8");
        Assert.Equal(3, host.Pool("reports").MaxThreads);
    }

    [Fact]
    public async Task InvalidLimits_AreLogged_AndThePoolKeepsItsOwn()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports"), (MaxThreads, "4")).StartAsync();
        host.Change(MaxThreads, "-1");
        host.Change("Something:Else", "1");
        Assert.Contains("MaxThreads must be between 1 and 32767, but was -1.", Assert.Single(host.Log.Warnings), StringComparison.Ordinal);
        Assert.Equal(4, host.Pool("reports").MaxThreads);
        host.Change(MaxThreads, null);
        Assert.Equal(Environment.ProcessorCount, host.Pool("reports").MaxThreads);
    }

    [Fact]
    public async Task ReloadWithoutAChange_AndOtherPoolsSections_AreNotTold()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports"), (MaxThreads, "4")).StartAsync();
        host.Change(MaxThreads, "4");
        host.Change("NativeThreading:Pools:reports2:MaxThreads", "5");
        Assert.Empty(host.Log.Warnings);
    }

    [Fact]
    public async Task SectionOfLoops_IsWatchedToo()
    {
        await using TestHost host = await new TestHost(services => services.AddEventLoopGroup("io", options => options.LoopCount = 1)).StartAsync();
        host.Change("NativeThreading:EventLoops:io:LoopCount", "2");
        Assert.Contains("NativeThreading:EventLoops:io:LoopCount changed from nothing to 2", Assert.Single(host.Log.Warnings), StringComparison.Ordinal);
    }
}
