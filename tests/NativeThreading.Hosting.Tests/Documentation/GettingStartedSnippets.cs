using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading;
using NativeThreading.EventLoops;

namespace NativeThreading.Hosting.Tests.Documentation;

/// <summary>The code of docs/start/getting-started.md that needs a host, and that of the readmes of both packages, run.</summary>
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

    [Fact]
    public async Task LoopsReadme()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Services.AddEventLoopGroup("sessions", options => options.LoopCount = 2);
        builder.Services.AddSingleton<Sessions>();

        using IHost host = builder.Build();
        Assert.Equal("sessions-0", await host.Services.GetRequiredService<Sessions>().WhereAsync());
    }

    public sealed class Sessions([FromKeyedServices("sessions")] EventLoopGroup loops)
    {
        public Task<string> WhereAsync() => loops.Next().InvokeAsync(() => EventLoop.Current!.Name);
    }

    public sealed class Archive([FromKeyedServices("reports")] NativeThreadPool pool)
    {
        public Task<int> CountAsync() => pool.Run(() => 7);
    }
}
