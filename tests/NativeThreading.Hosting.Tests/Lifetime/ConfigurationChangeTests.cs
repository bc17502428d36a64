using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>Options are read once; that is said, instead of pretending otherwise (T100).</summary>
public sealed class ConfigurationChangeTests
{
    private const string MaxThreads = "NativeThreading:Pools:reports:MaxThreads";

    [Fact]
    public async Task T100_ChangedSection_IsLogged_AndHasNoEffect()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports"), (MaxThreads, "4")).StartAsync();
        host.Change(MaxThreads, "8");
        Assert.Equal(
            [(LogLevel.Warning, 7, $"Configuration value {MaxThreads} changed from 4 to 8. Pools and loops read their configuration only at startup; restart the application to apply the change.")],
            host.Log.All.Where(record => record.Level == LogLevel.Warning));
        Assert.Equal(4, host.Pool("reports").MaxThreads);
    }

    [Fact]
    public async Task EveryChange_IsToldOnce_WhetherItIsValidOrNot()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports"), (MaxThreads, "4")).StartAsync();
        host.Change(MaxThreads, "-1");
        host.Change("Something:Else", "1");
        host.Change(MaxThreads, null);
        Assert.Equal(2, host.Log.Warnings.Length);
        Assert.Contains("from 4 to -1", host.Log.Warnings[0], StringComparison.Ordinal);
        Assert.Contains("from -1 to nothing", host.Log.Warnings[1], StringComparison.Ordinal);
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
