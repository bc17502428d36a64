using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Kestrel on the native transport, with one endpoint on loopback, and a pool "requests" that an option may name.</summary>
internal sealed class NativeServer : IAsyncDisposable
{
    private readonly WebApplication _app;

    private NativeServer(WebApplication app, TransportRecords records) => (_app, Records) = (app, records);

    /// <summary>Where it listens.</summary>
    public IPEndPoint EndPoint => IPEndPoint.Parse(Address.Authority);

    public Uri Address => new(_app.Urls.First());

    public IServiceProvider Services => _app.Services;

    /// <summary>What the transport has logged.</summary>
    public TransportRecords Records { get; }

    /// <summary>Serves HTTP.</summary>
    public static Task<NativeServer> ServeAsync(
        Action<WebApplication> map,
        Action<NativeTransportOptions>? transport = null,
        HttpProtocols protocols = HttpProtocols.Http1,
        Action<KestrelServerOptions>? kestrel = null,
        Action<IServiceCollection>? services = null) =>
        StartAsync(map, listen => listen.Protocols = protocols, transport, kestrel, services);

    /// <summary>Gives each connection to a handler of the test.</summary>
    public static Task<NativeServer> HandleAsync(
        ConnectionDelegate handler,
        Action<NativeTransportOptions>? transport = null,
        Action<ListenOptions>? listen = null,
        Action<IServiceCollection>? services = null) =>
        StartAsync(
            _ => { },
            options =>
            {
                listen?.Invoke(options);
                options.Run(connection => handler(connection));
            },
            transport,
            kestrel: null,
            services);

    public Task<RawClient> ConnectAsync() => RawClient.ConnectAsync(EndPoint);

    public Task StopAsync() => Deadline.For(_app.StopAsync(), "stop of the server");

    /// <summary>Stops it without patience for requests that run, and disposes it.</summary>
    public async Task AbandonAsync()
    {
        await Deadline.For(_app.StopAsync(new CancellationToken(canceled: true)), "stop of the server");
        await Deadline.For(_app.DisposeAsync().AsTask(), "disposal of the server");
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await Deadline.For(_app.DisposeAsync().AsTask(), "disposal of the server");
    }

    private static async Task<NativeServer> StartAsync(
        Action<WebApplication> map,
        Action<ListenOptions> listen,
        Action<NativeTransportOptions>? transport,
        Action<KestrelServerOptions>? kestrel,
        Action<IServiceCollection>? services)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = Environments.Production });
        var records = new TransportRecords();
        builder.Logging.ClearProviders().SetMinimumLevel(LogLevel.Debug).AddProvider(records);
        builder.Services.AddNativeThreadPool("requests", options => options.MaxThreads = 2);
        services?.Invoke(builder.Services);
        builder.WebHost.ConfigureKestrel(options =>
        {
            kestrel?.Invoke(options); // first: defaults of endpoints are for those that follow
            options.Listen(IPAddress.Loopback, 0, listen);
        });
        builder.WebHost.UseNativeTransport(options => transport?.Invoke(options));
        WebApplication app = builder.Build();
        try
        {
            map(app);
            await Deadline.For(app.StartAsync(), "start of the server");
            return new NativeServer(app, records);
        }
        catch
        {
            await app.DisposeAsync();
            throw;
        }
    }
}
