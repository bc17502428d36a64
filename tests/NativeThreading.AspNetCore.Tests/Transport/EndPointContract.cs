using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Where a server listens, and the addresses of both sides of a connection.</summary>
public abstract class EndPointContract(Carrier carrier) : TransportContract(carrier)
{
    [Fact]
    public async Task BothEndsOfAConnection_AreToldToTheRequest()
    {
        TransportServer server = await ServeAsync(TellEnds);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal($"{client.Socket.RemoteEndPoint} {client.Socket.LocalEndPoint}", await AskAsync(client));
    }

    [Fact]
    public async Task TwoEndPoints_AreServedAlike()
    {
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(TellEnds),
            Bind = (kestrel, listen) =>
            {
                kestrel.Listen(IPAddress.Loopback, 0, listen);
                kestrel.Listen(IPAddress.Loopback, 0, listen);
            },
        });
        Assert.Equal(2, server.EndPoints.Distinct().Count());
        foreach (EndPoint endPoint in server.EndPoints)
        {
            using RawClient client = await RawClient.ConnectAsync(endPoint);
            Assert.Equal($"{endPoint} {client.Socket.LocalEndPoint}", await AskAsync(client));
        }
    }

    [Fact]
    public async Task AnyAddress_IsServedByBothProtocols()
    {
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(TellEnds),
            Bind = (kestrel, listen) => kestrel.ListenAnyIP(0, listen),
        });
        IPAddress[] addresses = Socket.OSSupportsIPv6 ? [IPAddress.Loopback, IPAddress.IPv6Loopback] : [IPAddress.Loopback];
        foreach (IPAddress address in addresses)
        {
            using RawClient client = await RawClient.ConnectAsync(new IPEndPoint(address, server.Port));
            string[] ends = (await AskAsync(client)).Split(' ');
            var local = IPEndPoint.Parse(ends[0]);
            var remote = IPEndPoint.Parse(ends[1]);

            // By IPv6 sockets an address of IPv4 may be told in its mapped form.
            Assert.Equal(client.Socket.RemoteEndPoint, new IPEndPoint(Unmapped(local.Address), local.Port));
            Assert.Equal(client.Socket.LocalEndPoint, new IPEndPoint(Unmapped(remote.Address), remote.Port));
        }

        static IPAddress Unmapped(IPAddress address) => address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
    }

    [Fact]
    public async Task UnixDomainSocket_IsServed_AndItsFileGoesWithTheServer()
    {
        string path = Path.Combine(Path.GetTempPath(), $"contract-{Guid.NewGuid():N}.sock");
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(context => context.Request.Body.CopyToAsync(context.Response.Body)),
            Bind = (kestrel, listen) => kestrel.ListenUnixSocket(path, listen),
        });
        using (HttpClient client = server.CreateClient(HttpVersion.Version11))
        {
            using var content = new ByteArrayContent(Pattern.Bytes(0, 500_000));
            using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), content);
            byte[] body = await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
            Assert.Equal(500_000, body.Length);
            Assert.True(Pattern.IsAt(0, body));
        }

        Assert.True(File.Exists(path));
        await server.StopAsync();
        Assert.False(File.Exists(path));
    }

    [Fact]
    public async Task PortThatIsInUse_FailsTheStart_AndSaysSo()
    {
        TransportServer server = await ServeAsync(TellEnds);
        IOException exception = await Assert.ThrowsAsync<IOException>(() => TransportServer.StartAsync(Carrier, new ServerPlan
        {
            Bind = (kestrel, listen) => kestrel.Listen(IPAddress.Loopback, server.Port, listen),
            LogsErrors = true,
        }));
        Assert.IsType<AddressInUseException>(exception.InnerException);
        await AssertServesAsync(server);
    }

    [Fact]
    public async Task StoppedServer_RefusesConnections_AndAnotherTakesItsPortAtOnce()
    {
        TransportServer server = await ServeAsync(TellEnds);
        using RawClient client = await server.ConnectAsync();
        await AskAsync(client);
        int port = server.Port;

        await server.StopAsync(); // the server ends the connection, which keeps the port for a while

        Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
        SocketException refused = await Assert.ThrowsAsync<SocketException>(() => RawClient.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port)));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        TransportServer next = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(TellEnds),
            Bind = (kestrel, listen) => kestrel.Listen(IPAddress.Loopback, port, listen),
        });
        await AssertServesAsync(next);
    }

    private static Task TellEnds(HttpContext context)
    {
        ConnectionInfo connection = context.Connection;
        var local = new IPEndPoint(connection.LocalIpAddress!, connection.LocalPort);
        var remote = new IPEndPoint(connection.RemoteIpAddress!, connection.RemotePort);
        return context.Response.WriteAsync($"{local} {remote}");
    }

    private static async Task<string> AskAsync(RawClient client)
    {
        await client.SendAsync(Get);
        return (await client.ReadResponseAsync()).Text;
    }
}

public sealed class EndPointsOnSockets() : EndPointContract(Carrier.Sockets);

public sealed class EndPointsOnLoops() : EndPointContract(Carrier.Loops);

public sealed class EndPointsOnLoopsAndPool() : EndPointContract(Carrier.LoopsAndPool);

public sealed class EndPointsOnLoopsAlone() : EndPointContract(Carrier.LoopsAlone);

public sealed class EndPointsOnAdaptive() : EndPointContract(Carrier.Adaptive);
