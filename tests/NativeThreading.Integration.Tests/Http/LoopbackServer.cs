using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Integration.Http;

/// <summary>Kestrel on 127.0.0.1, as the built-in pool runs it.</summary>
public sealed class LoopbackServer : IAsyncLifetime
{
    private readonly WebApplication _app;
    private int _entered;
    private int _aborted;

    public LoopbackServer()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(System.Net.IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            kestrel.Listen(System.Net.IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        _app = builder.Build();
        _app.MapGet("/number/{number:int}", async (int number) =>
        {
            await Task.Yield();
            return $"{number}";
        });
        _app.MapPost("/echo", (HttpContext context) => context.Request.BodyReader.CopyToAsync(context.Response.BodyWriter));
        _app.MapGet("/lines/{count:int}", async (HttpContext context, int count) =>
        {
            for (int i = 0; i < count; i++)
            {
                await context.Response.WriteAsync($"{i}\n");
                await context.Response.Body.FlushAsync();
            }
        });
        _app.MapGet("/fail", () => Results.StatusCode(StatusCodes.Status500InternalServerError));
        _app.MapGet("/cut", async (HttpContext context) =>
        {
            await context.Response.WriteAsync("the beginning");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
        _app.MapGet("/never", async (HttpContext context) =>
        {
            Interlocked.Increment(ref _entered);
            try
            {
                await Task.Delay(Timeout.Infinite, context.RequestAborted);
            }
            finally
            {
                Interlocked.Increment(ref _aborted);
            }
        });
    }

    /// <summary>Requests that have come to /never.</summary>
    public int EnteredCount => Volatile.Read(ref _entered);

    /// <summary>Of those, how many have seen that their client has gone.</summary>
    public int AbortedCount => Volatile.Read(ref _aborted);

    public async ValueTask InitializeAsync() => await Deadline.For(_app.StartAsync());

    public async ValueTask DisposeAsync()
    {
        await Deadline.For(_app.StopAsync());
        await _app.DisposeAsync();
    }

    /// <summary>A client for HTTP/1.1 or HTTP/2, with at most sixty-four connections.</summary>
    public HttpClient Client(Version version)
    {
        ICollection<string> addresses = ((IApplicationBuilder)_app).ServerFeatures.Get<IServerAddressesFeature>()!.Addresses;
        return new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 64 })
        {
            BaseAddress = new Uri(addresses.ElementAt(version.Major - 1)),
            DefaultRequestVersion = version,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Timeout.InfiniteTimeSpan,
        };
    }
}
