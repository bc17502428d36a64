using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>HTTP over the native transport, and where its handlers run.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class RequestTests
{
    private const string LastChunk = "\r\n0\r\n\r\n";

    [Fact]
    public async Task OneRequest_IsAnswered()
    {
        await using NativeServer server = await NativeServer.ServeAsync(app => app.MapGet("/", () => "hello"));
        using RawClient client = await server.ConnectAsync();

        Assert.StartsWith("HTTP/1.1 200 OK", await client.GetAsync("/", "hello"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ManyRequestsOfOneConnection_AreAnsweredInOrder_AlsoWhereTheyComeAtOnce()
    {
        const int Requests = 500;
        await using NativeServer server = await NativeServer.ServeAsync(app => app.MapGet("/{id:int}", (int id) => $"<{id}>"));
        using RawClient client = await server.ConnectAsync();

        for (int i = 0; i < Requests; i++)
        {
            await client.GetAsync($"/{i}", $"<{i}>");
        }

        await client.SendAsync(string.Concat(Enumerable.Range(0, Requests).Select(i => $"GET /{i} HTTP/1.1\r\nHost: x\r\n\r\n")));
        string answers = await client.ReadThroughAsync($"<{Requests - 1}>");

        Assert.Equal(Enumerable.Range(0, Requests), answers.Split('<').Skip(1).Select(part => int.Parse(part.Split('>')[0])));
    }

    [Fact]
    public async Task LargeBodies_ComeBackAsTheyWere()
    {
        await using NativeServer server = await NativeServer.ServeAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            context.Features.Get<IHttpMaxRequestBodySizeFeature>()!.MaxRequestBodySize = null;
            await context.Request.Body.CopyToAsync(context.Response.Body);
        }));
        using var client = new HttpClient { BaseAddress = server.Address, Timeout = Deadline.Time };
        byte[] body = RandomNumberGenerator.GetBytes(5 * 1024 * 1024);

        for (int i = 0; i < 3; i++)
        {
            using HttpResponseMessage answer = await Deadline.For(client.PostAsync("/", new ByteArrayContent(body)));
            Assert.Equal(body, await Deadline.For(answer.Content.ReadAsByteArrayAsync()));
        }
    }

    // T146: application code on a loop could block all its connections.
    [Theory]
    [InlineData(HttpProtocols.Http1, NativeTransportRequests.RuntimePool)]
    [InlineData(HttpProtocols.Http2, NativeTransportRequests.RuntimePool)]
    [InlineData(HttpProtocols.Http2, NativeTransportRequests.Adaptive)]
    [InlineData(HttpProtocols.Http2, NativeTransportRequests.Loops)]
    public async Task T146_HandlersRunOnTheRuntimesPool_AndNeverOnALoop(HttpProtocols protocols, NativeTransportRequests requests)
    {
        await using NativeServer server = await NativeServer.ServeAsync(
            app => app.MapGet("/", Places.AsyncMethod), options => options.Requests = requests, protocols);

        for (int i = 0; i < 100; i++)
        {
            Assert.Equal("runtime runtime False", await GetAsync(server, protocols));
        }
    }

    // T103: what the page claims. Kestrel begins connections, and streams of HTTP/2, on the built-in pool.
    [Theory]
    [InlineData(HttpProtocols.Http1, "requests requests False")]
    [InlineData(HttpProtocols.Http2, "runtime runtime False")]
    public async Task T103_WithAPool_Http1RunsOnIt_AndHttp2OnTheRuntimes(HttpProtocols protocols, string place)
    {
        await using NativeServer server = await NativeServer.ServeAsync(
            app => app.MapGet("/", Places.AsyncMethod), AllOnThePool, protocols);

        Assert.Equal(place, await GetAsync(server, protocols));
    }

    [Fact]
    public async Task T103_WithAPool_EveryRequestOfAConnectionRunsOnIt_AlsoOneThatWasThereBeforeKestrel()
    {
        await using NativeServer server = await NativeServer.ServeAsync(
            app => app.MapGet("/", Places.AsyncMethod), AllOnThePool);
        for (int i = 0; i < 200; i++)
        {
            using RawClient client = await server.ConnectAsync();
            for (int request = 0; request < 3; request++)
            {
                Assert.Contains("\r\nrequests requests False\r\n", await client.GetAsync("/", LastChunk), StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData(null, new[] { "runtime runtime False" })]
    [InlineData("requests", new[] { "requests requests False", "runtime runtime False" })] // TLS awaits without a context
    public async Task T103_OverTls_RequestsRunWhereAReadHasEnded_AndNeverOnALoop(string? pool, string[] places)
    {
        using var key = RSA.Create(2048);
        using X509Certificate2 certificate = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        await using NativeServer server = await NativeServer.ServeAsync(
            app => app.MapGet("/", Places.AsyncMethod),
            options => (options.PoolName, options.Requests) = (pool, pool is null ? NativeTransportRequests.RuntimePool : NativeTransportRequests.Pool),
            kestrel: kestrel => kestrel.ConfigureEndpointDefaults(
                listen => listen.UseHttps(certificate)));
        using var handler = new SocketsHttpHandler();
        handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, _, _) => presented?.GetCertHashString() == certificate.Thumbprint;
        using var client = new HttpClient(handler) { Timeout = Deadline.Time };

        for (int i = 0; i < 3; i++)
        {
            Assert.Contains(await Deadline.For(client.GetStringAsync(server.Address)), places);
        }
    }

    [Fact]
    public async Task AddressesOfBothSides_AreThoseOfTheSocket()
    {
        await using NativeServer server = await NativeServer.ServeAsync(app => app.MapGet(
            "/", (HttpContext context) => $"{context.Connection.RemoteIpAddress}:{context.Connection.RemotePort} {context.Connection.LocalPort}."));
        using RawClient client = await server.ConnectAsync();

        Assert.Contains(
            $"\r\n{client.Socket.LocalEndPoint} {server.EndPoint.Port}.\r\n", await client.GetAsync("/", LastChunk), StringComparison.Ordinal);
    }

    private static void AllOnThePool(NativeTransportOptions options) => (options.PoolName, options.Requests) = ("requests", NativeTransportRequests.Pool);

    private static async Task<string> GetAsync(NativeServer server, HttpProtocols protocols)
    {
        using var client = new HttpClient
        {
            BaseAddress = server.Address,
            DefaultRequestVersion = protocols == HttpProtocols.Http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Deadline.Time,
        };
        return await Deadline.For(client.GetStringAsync(new Uri("/", UriKind.Relative)));
    }

    private static class Places
    {
        /// <summary>Where it starts, where it continues, and whether either was a loop.</summary>
        public static async Task<string> AsyncMethod()
        {
            string begins = Where.AmI;
            bool isLoop = EventLoop.Current is not null;
            await Task.Delay(1);
            return $"{begins} {Where.AmI} {isLoop || EventLoop.Current is not null}";
        }
    }
}
