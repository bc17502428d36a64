using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Whose time is over. These tests wait for a second or a few, so the transports wait at the same time.</summary>
public abstract class PatienceContract(Carrier carrier) : TransportContract(carrier)
{
    private const string Waiting = "GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n";

    [Fact]
    public async Task HalfRequests_AreEndedWith408_WhenTheirTimeIsOver()
    {
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(context => context.Response.WriteAsync("here")),
            Kestrel = kestrel => kestrel.Limits.RequestHeadersTimeout = TimeSpan.FromMilliseconds(1),
        });
        await Task.WhenAll(Enumerable.Range(0, 20).Select(async i =>
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(Get[..(1 + i)]);
            Assert.Equal(408, (await client.ReadResponseAsync()).Status);
            Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
        }));
    }

    [Fact]
    public async Task SidesThatAreSlowerThanTheLimits_AreCutOff()
    {
        var rate = new MinDataRate(bytesPerSecond: 1e9, gracePeriod: TimeSpan.FromSeconds(1.01)); // it must be more than a second
        TaskCompletionSource ended = NewGate();
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(async context =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                byte[] block = new byte[64 * 1024];
                while (!context.RequestAborted.IsCancellationRequested)
                {
                    await context.Response.Body.WriteAsync(block);
                }

                ended.SetResult();
            }),
            Kestrel = kestrel => (kestrel.Limits.MinRequestBodyDataRate, kestrel.Limits.MinResponseDataRate) = (rate, rate),
            LogsErrors = true, // the handler that read from the slow one throws
        });
        using RawClient writer = await server.ConnectAsync();
        using RawClient reader = await server.ConnectAsync();
        await writer.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n0123");
        await reader.SendAsync(Get);

        Assert.Equal(408, (await writer.ReadResponseAsync()).Status);
        await writer.ReadEndAsync();
        await Deadline.For(ended.Task);
        Assert.Equal(RawClient.End.Reset, await reader.ReadEndAsync());
        Deadline.Until(() => server.Connections.Open == 0);
    }

    /// <summary>Of the end the application learns after a second in which it has read nothing: it may wait for this client.</summary>
    [Theory]
    [InlineData(Get)]
    [InlineData("POST /waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde")]
    public async Task ClientsEndBehindBytesThatNobodyReads_CancelsTheRequestThatWaits(string unread)
    {
        TaskCompletionSource cancelled = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            if (context.Request.Path == "/waits")
            {
                await Deadline.For(Cancelled(context.RequestAborted));
                cancelled.TrySetResult();
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(unread == Get ? Waiting + Get : unread);
        client.EndSending();

        await Deadline.For(cancelled.Task);
        await client.ReadEndAsync(); // of either kind: what was left unread makes it a reset
        await AssertServesAsync(server);
    }
}

[BesideOthers]
public sealed class PatienceOnSockets() : PatienceContract(Carrier.Sockets);

[BesideOthers]
public sealed class PatienceOnLoops() : PatienceContract(Carrier.Loops);

[BesideOthers]
public sealed class PatienceOnLoopsAndPool() : PatienceContract(Carrier.LoopsAndPool);

[BesideOthers]
public sealed class PatienceOnLoopsAlone() : PatienceContract(Carrier.LoopsAlone);

[BesideOthers]
public sealed class PatienceOnAdaptive() : PatienceContract(Carrier.Adaptive);
