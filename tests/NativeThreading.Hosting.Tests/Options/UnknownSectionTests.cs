using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Options;

/// <summary>With a section that no pool or loop reads, the host fails to start: the section would be a limit that does not hold.</summary>
public sealed class UnknownSectionTests
{
    /// <summary>Key, value, and what the start says.</summary>
    public static TheoryData<string, string?, string> Unknown() => new()
    {
        { "NativeThreading:Pools:report:MaxThreads", "4", "NativeThreading:Pools:report: no pool named 'report' is registered. Registered names: 'reports', 'mail'." },
        { "NativeThreading:Pools:report", "", "NativeThreading:Pools:report: no pool named 'report' is registered. Registered names: 'reports', 'mail'." },
        { "NativeThreading:Pool:reports:MaxThreads", "4", "NativeThreading:Pool: unknown section. Known sections are NativeThreading:Pools and NativeThreading:EventLoops." },
        { "NativeThreading:Loops:io:LoopCount", "4", "NativeThreading:Loops: unknown section. Known sections are NativeThreading:Pools and NativeThreading:EventLoops." },
        { "NativeThreading:MaxThreads", "4", "NativeThreading:MaxThreads: unknown section. Known sections are NativeThreading:Pools and NativeThreading:EventLoops." },
        { "NativeThreading:EventLoops:ui:LoopCount", "4", "NativeThreading:EventLoops:ui: no event loop group named 'ui' is registered. Registered names: 'io'." },
        { "NativeThreading:Pools", "4", "NativeThreading:Pools: this key must contain one section per pool, but has the value '4'." },
        { "NativeThreading:Pools:mail", "4", "NativeThreading:Pools:mail: this key must contain the options of one pool, but has the value '4'." },
    };

    [Theory]
    [MemberData(nameof(Unknown))]
    public async Task FailsTheStart_WithItsFullKeyAndWhatIsKnown(string key, string? value, string message)
    {
        await using var host = new TestHost(AddAll, (key, value));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal([message], refused.Failures);
    }

    [Fact]
    public async Task AllOfThem_AreToldAtOnce()
    {
        await using var host = new TestHost(
            AddAll, ("NativeThreading:Pool:x", "1"), ("NativeThreading:Pools:x:MaxThreads", "1"), ("NativeThreading:EventLoops:x:LoopCount", "1"));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal(3, refused.Failures.Count());
    }

    [Fact]
    public async Task KnownSections_InAnyCase_AndEmptyOnes_Start()
    {
        await using var host = new TestHost(
            AddAll,
            ("nativethreading:pools:REPORTS:maxthreads", "3"), ("NativeThreading:Pools:mail", ""), ("NativeThreading:EventLoops", null), ("Other:Pool", "4"));
        await host.StartAsync();
        Assert.Equal(3, host.Pool("reports").MaxThreads);
        await host.StopAsync();
    }

    [Fact]
    public async Task WithLoopsOnly_NoPoolIsKnown()
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup("io", options => options.LoopCount = 1), ("NativeThreading:Pools:io:MaxThreads", "1"));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal(["NativeThreading:Pools:io: no pool named 'io' is registered. None is registered."], refused.Failures);
    }

    [Fact]
    public async Task PoolsOfSeveralLibraries_AndPoolsWithoutASection_Start()
    {
        await using var host = new TestHost(
            services =>
            {
                services.AddNativeThreadPool("reports");
                services.AddNativeThreadPool("unconfigured");
                services.AddNativeThreadPool("mail", options => options.MaxThreads = 1);
            },
            ("NativeThreading:Pools:reports:MaxThreads", "2"),
            ("NativeThreading:Pools:mail:QueueLimit", "2"));
        await host.StartAsync();
        await host.StopAsync();
    }

    [Theory]
    [InlineData("json")]
    [InlineData("environment")]
    public async Task WhereverItComesFrom(string source)
    {
        string variable = $"NTH_TEST_{Guid.NewGuid():N}_";
        using var json = new MemoryStream(Encoding.UTF8.GetBytes("""{ "NativeThreading": { "Pools": { "reports": {}, "report": {} } } }"""));
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        Environment.SetEnvironmentVariable($"{variable}NativeThreading__Pools__report__MaxThreads", "4");
        try
        {
            _ = source == "json" ? builder.Configuration.AddJsonStream(json) : builder.Configuration.AddEnvironmentVariables(variable);
            AddAll(builder.Services);
            using IHost host = builder.Build();
            var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => Deadline.For(host.StartAsync(TestContext.Current.CancellationToken)));
            Assert.StartsWith("NativeThreading:Pools:report: ", Assert.Single(refused.Failures), StringComparison.Ordinal);
        }
        finally
        {
            Environment.SetEnvironmentVariable($"{variable}NativeThreading__Pools__report__MaxThreads", null);
        }
    }

    private static void AddAll(IServiceCollection services)
    {
        services.AddNativeThreadPool("reports");
        services.AddNativeThreadPool("mail");
        services.AddEventLoopGroup("io", options => options.LoopCount = 1);
    }
}
