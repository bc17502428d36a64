using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Support;

/// <summary>An application with a pool "reports" and a pool "other", in memory or behind Kestrel on loopback.</summary>
internal sealed class TestApp : IAsyncDisposable
{
    private readonly WebApplication _app;

    private TestApp(WebApplication app, HttpClient client)
    {
        _app = app;
        Client = client;
    }

    public HttpClient Client { get; }

    public NativeThreadPool Reports => _app.Services.GetRequiredKeyedService<NativeThreadPool>("reports");

    public NativeThreadPool Other => _app.Services.GetRequiredKeyedService<NativeThreadPool>("other");

    public IServiceProvider Services => _app.Services;

    /// <summary>Where Kestrel listens.</summary>
    public Uri Address => new(_app.Urls.Single());

    /// <summary>In memory.</summary>
    public static async Task<TestApp> StartAsync(
        Action<WebApplication> configure, Action<IServiceCollection>? services = null, Action<NativeThreadPoolOptions>? reports = null)
    {
        WebApplication app = Build(services, reports, builder => builder.WebHost.UseTestServer());
        return await StartAsync(app, configure, () => app.GetTestClient());
    }

    /// <summary>Behind Kestrel, on a port that the system chooses.</summary>
    public static async Task<TestApp> StartKestrelAsync(
        Action<WebApplication> configure,
        Action<IServiceCollection>? services = null,
        Action<NativeThreadPoolOptions>? reports = null,
        HttpProtocols protocols = HttpProtocols.Http1)
    {
        WebApplication app = Build(services, reports, builder => builder.WebHost.ConfigureKestrel(
            kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols)));
        return await StartAsync(app, configure, () => new HttpClient(new SocketsHttpHandler { PooledConnectionIdleTimeout = Deadline.Time })
        {
            BaseAddress = new Uri(app.Urls.Single()),
            DefaultRequestVersion = protocols == HttpProtocols.Http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Deadline.Time,
        });
    }

    public Task<string> GetAsync(string path) => Deadline.For(Client.GetStringAsync(new Uri(path, UriKind.Relative)), path);

    public Task<HttpResponseMessage> SendAsync(string path) => Deadline.For(Client.GetAsync(new Uri(path, UriKind.Relative)), path);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Deadline.For(_app.StopAsync(), "stop of the application");
        await Deadline.For(_app.DisposeAsync().AsTask(), "disposal of the application");
    }

    private static async Task<TestApp> StartAsync(WebApplication app, Action<WebApplication> configure, Func<HttpClient> client)
    {
        try
        {
            configure(app);
            await Deadline.For(app.StartAsync(), "start of the application");
            return new TestApp(app, client());
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }

    private static WebApplication Build(
        Action<IServiceCollection>? services, Action<NativeThreadPoolOptions>? reports, Action<WebApplicationBuilder> server)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = Environments.Production });
        builder.Logging.ClearProviders();
        server(builder);
        builder.Services.AddNativeThreadPool("reports", options =>
        {
            options.MaxThreads = 2;
            reports?.Invoke(options);
        });
        builder.Services.AddNativeThreadPool("other", options => options.MaxThreads = 2);
        services?.Invoke(builder.Services);
        return builder.Build();
    }
}
