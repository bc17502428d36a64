using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading;

namespace NativeThreading.Hosting.Tests.Documentation;

/// <summary>The code of docs/getting-started.md that needs a host, and that of the package's readme, run.</summary>
public sealed class GettingStartedSnippets
{
    [Fact]
    public async Task Pools()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);

        builder.Services.AddNativeThreadPool();                                  // NativeThreadPool, by its type
        builder.Services.AddNativeThreadPool("mail", options => options.MaxThreads = 2)
            .AddHealthCheck();

        using IHost host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(2, host.Services.GetRequiredKeyedService<NativeThreadPool>("mail").MaxThreads);
        Assert.Equal("default", host.Services.GetRequiredService<NativeThreadPool>().Name);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Readme()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Services.AddNativeThreadPool("reports", options => options.MaxThreads = 4).AddHealthCheck();
        builder.Services.AddSingleton<Archive>();

        using IHost host = builder.Build();
        Assert.Equal(7, await host.Services.GetRequiredService<Archive>().CountAsync());
    }

    public sealed class Archive([FromKeyedServices("reports")] NativeThreadPool pool)
    {
        public Task<int> CountAsync() => pool.Run(() => 7);
    }
}
