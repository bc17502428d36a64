using System.IO.Pipelines;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Connections that speak HTTP/2 leave the loops: Kestrel queues their requests to the built-in pool in any case.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class Http2OnLoopsTests
{
    [Theory]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n and more", true)]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true)]
    [InlineData("PRI ", true)]
    [InlineData("PRI", false)]
    [InlineData("PRINT / HTTP/1.1\r\n\r\n", false)]
    [InlineData("GET / HTTP/1.1\r\n\r\n", false)]
    public void FirstBytes_TellWhatIsSpoken(string bytes, bool isHttp2)
    {
        var scheduler = new ConnectionScheduler(PipeScheduler.Inline);
        scheduler.Begin(Encoding.ASCII.GetBytes(bytes));
        Assert.Equal(!isHttp2, scheduler.IsOnLoop);
    }

    [Theory]
    [InlineData(NativeTransportRequests.Adaptive, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Where.Runtime)]
    [InlineData(NativeTransportRequests.Loops, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Where.Runtime)]
    [InlineData(NativeTransportRequests.Loops, "something else that is spoken", Where.Loop)]
    public async Task ApplicationGoesOn_WhereItsProtocolIsServedBest(NativeTransportRequests requests, string first, string place)
    {
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                while (await connection.Transport.Input.ReadAsync() is { IsCompleted: false } read)
                {
                    connection.Transport.Input.AdvanceTo(read.Buffer.End);
                    await connection.Transport.Output.WriteAsync(Encoding.ASCII.GetBytes($"{Where.AmI}."));
                }
            },
            options => options.Requests = requests);
        for (int i = 0; i < 50; i++)
        {
            using RawClient client = await server.ConnectAsync();
            for (int message = 0; message < 3; message++)
            {
                await client.SendAsync(first);
                Assert.Equal($"{place}.", await client.ReadThroughAsync("."));
            }
        }
    }

    [Fact]
    public async Task WhereTlsHasAgreedOnHttp2_TheConnectionLeavesTheLoop()
    {
        const int Messages = 20, Handshake = 8; // within so many reads it is found
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 certificate = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256)
            .CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                while (await connection.Transport.Input.ReadAsync() is { IsCompleted: false } read)
                {
                    connection.Transport.Input.AdvanceTo(read.Buffer.End);
                    await connection.Transport.Output.WriteAsync(Encoding.ASCII.GetBytes(EventLoop.Current is null ? "n" : "y"));
                }
            },
            options => options.Requests = NativeTransportRequests.Loops,
            listen =>
            {
                listen.Protocols = HttpProtocols.Http1AndHttp2;
                listen.UseHttps(certificate);
            });
        using RawClient client = await server.ConnectAsync();
        await using var tls = new SslStream(new System.Net.Sockets.NetworkStream(client.Socket), true, (_, presented, _, _) => presented is not null);
        await Deadline.For(tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            ApplicationProtocols = [SslApplicationProtocol.Http2],
        }));

        byte[] isOnLoop = new byte[Messages];
        for (int i = 0; i < Messages; i++)
        {
            await Deadline.For(tls.WriteAsync(new byte[1]).AsTask());
            await Deadline.For(tls.ReadExactlyAsync(isOnLoop, i, 1).AsTask());
        }

        Assert.DoesNotContain((byte)'y', isOnLoop[Handshake..]);
    }
}
