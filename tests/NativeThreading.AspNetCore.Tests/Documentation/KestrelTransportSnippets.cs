using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.AspNetCore;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Documentation;

/// <summary>The code of docs/guides/kestrel-transport.md, run. Where no loop watches descriptors it serves as well, on Kestrel's sockets.</summary>
public sealed class KestrelTransportSnippets
{
    [Fact]
    public async Task OneLine()
    {
        WebApplicationBuilder builder = NewBuilder();

        builder.WebHost.UseNativeTransport();

        await using WebApplication app = builder.Build();
        app.MapGet("/", () => "hello");

        Assert.IsType<NativeTransportFactory>(app.Services.GetServices<IConnectionListenerFactory>().Last());
        await ServesAsync(app);
    }

    [Fact]
    public async Task WithOptions()
    {
        WebApplicationBuilder builder = NewBuilder();

        builder.Services.AddNativeThreadPool("requests");
        builder.WebHost.UseNativeTransport(options =>
        {
            options.LoopCount = 1;             // one for two processors by default
            options.PoolName = "requests";     // for endpoints that are not known to be short; by default a pool of the transport's own
            options.Backlog = 1024;            // 512 by default
        });

        await using WebApplication app = builder.Build();
        app.MapGet("/", () => "hello");
        Assert.Equal("requests", app.Services.GetRequiredService<IOptions<NativeTransportOptions>>().Value.PoolName);
        await ServesAsync(app);
    }

    [Fact]
    public async Task LimitsOfTheDefaultPool()
    {
        WebApplicationBuilder builder = NewBuilder();

        builder.WebHost.UseNativeTransport(options =>
        {
            options.DefaultPool.MaxBlockedThreads = 200;   // fewer threads, and 503 earlier
            options.DefaultPool.QueueLimit = 5_000;        // 503 at once while so many items wait
        });

        await using WebApplication app = builder.Build();
        app.MapGet("/", () => "hello");
        await ServesAsync(app);
    }

    [Fact]
    public async Task SaidBeforehand()
    {
        WebApplicationBuilder builder = NewBuilder();
        builder.Services.AddNativeThreadPool("reports");
        builder.WebHost.UseNativeTransport();
        await using WebApplication app = builder.Build();

        app.MapGet("/version", [Inline] () => "1.0");                        // on the loop from its first call on, whatever it does
        app.MapGet("/report", () => "...").RunOnNativeThreadPool("reports"); // always on that pool

        app.MapGet("/", () => "hello");
        await ServesAsync(app);
    }

    private static WebApplicationBuilder NewBuilder()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        return builder;
    }

    private static async Task ServesAsync(WebApplication app)
    {
        await Deadline.For(app.StartAsync());
        using var client = new HttpClient { Timeout = Deadline.Time };
        Assert.Equal("hello", await Deadline.For(client.GetStringAsync(new Uri(app.Urls.Single()))));
        await Deadline.For(app.StopAsync());
    }
}
