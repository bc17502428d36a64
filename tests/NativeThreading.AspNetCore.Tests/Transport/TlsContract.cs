using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>TLS through Kestrel's middleware, and clients that abandon it.</summary>
public abstract class TlsContract(Carrier carrier) : TransportContract(carrier)
{
    private static readonly X509Certificate2 s_certificate = Create();

    [Theory]
    [InlineData("1.1")]
    [InlineData("2.0")]
    public async Task Bodies_ComeBackAsTheyWere(string version)
    {
        const int Length = 100_000; // the client sends all before it reads: eight of them fit into the window of a connection
        TransportServer server = await ServeTlsAsync();
        using HttpClient client = server.CreateClient(Version.Parse(version), "https");
        await Deadline.For(Task.WhenAll(Enumerable.Range(0, 8).Select(async i =>
        {
            using var content = new ByteArrayContent(Pattern.Bytes(i, Length));
            using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), content);
            byte[] body = await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
            Assert.Equal(Version.Parse(version), response.Version);
            Assert.Equal(Length, body.Length);
            Assert.True(Pattern.IsAt(i, body));
        })));
    }

    [Theory]
    [InlineData("nothing", false)]
    [InlineData("nothing", true)]
    [InlineData("half a hello", false)]
    [InlineData("half a hello", true)]
    [InlineData("no TLS at all", false)]
    public async Task ClientsThatAbandonTheHandshake_LeaveNothing_AndOthersAreServed(string what, bool withReset)
    {
        byte[] sent = what switch
        {
            "nothing" => [],
            "half a hello" => [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3, .. new byte[32]],
            _ => [.. "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"u8],
        };
        TransportServer server = await ServeTlsAsync();
        for (int i = 0; i < 20; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(sent);
            if (withReset)
            {
                client.Reset();
            }
            else
            {
                client.EndSending();
                await client.ReadEndAsync();
            }
        }

        await AssertServesTlsAsync(server);
    }

    [Fact]
    public async Task ClientsThatRejectTheCertificate_LeaveNothing_AndOthersAreServed()
    {
        TransportServer server = await ServeTlsAsync();
        for (int i = 0; i < 10; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await using var tls = new SslStream(new NetworkStream(client.Socket), false, static (_, _, _, _) => false);
            await Assert.ThrowsAsync<AuthenticationException>(() => Deadline.For(tls.AuthenticateAsClientAsync("localhost")));
        }

        await AssertServesTlsAsync(server);
    }

    private static async Task AssertServesTlsAsync(TransportServer server)
    {
        using (HttpClient client = server.CreateClient(HttpVersion.Version11, "https"))
        {
            Assert.Equal("", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
        }

        Deadline.Until(() => server.Connections.Open == 0, () => $"{server.Connections.Open} connections are left");
    }

    private static X509Certificate2 Create()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }

    private Task<TransportServer> ServeTlsAsync() => ServeAsync(new ServerPlan
    {
        Protocols = HttpProtocols.Http1AndHttp2,
        Listen = listen => listen.UseHttps(s_certificate),
        App = app => app.Run(context => context.Request.Body.CopyToAsync(context.Response.Body)),
    });
}

public sealed class TlsOnSockets() : TlsContract(Carrier.Sockets);

public sealed class TlsOnLoops() : TlsContract(Carrier.Loops);

public sealed class TlsOnLoopsAndPool() : TlsContract(Carrier.LoopsAndPool);

public sealed class TlsOnLoopsAlone() : TlsContract(Carrier.LoopsAlone);

public sealed class TlsOnAdaptive() : TlsContract(Carrier.Adaptive);
