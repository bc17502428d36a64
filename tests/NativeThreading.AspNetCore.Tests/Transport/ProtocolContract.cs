using System.Net;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>What else is spoken on a connection: upgrades, WebSockets, HTTP/2.</summary>
public abstract class ProtocolContract(Carrier carrier) : TransportContract(carrier)
{
    [Fact]
    public async Task Upgrade_BytesGoBothWays()
    {
        TransportServer server = await ServeAsync(async context =>
        {
            await using Stream stream = await context.Features.Get<IHttpUpgradeFeature>()!.UpgradeAsync();
            byte[] buffer = new byte[10_000];
            for (int count; (count = await stream.ReadAsync(buffer)) > 0;)
            {
                await stream.WriteAsync(buffer.AsMemory(0, count));
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n");
        Assert.Equal(101, (await client.ReadResponseAsync()).Status);
        var random = new Random(1);
        for (int position = 0, i = 0; i < 50; i++)
        {
            int count = random.Next(1, 50_000);
            Task sent = client.SendInPiecesAsync(Pattern.Bytes(position, count), random);
            Assert.True(Pattern.IsAt(position, await client.ReadAsync(count)));
            await Deadline.For(sent);
            position += count;
        }

        client.EndSending();
        Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
    }

    [Fact]
    public async Task WebSocket_MessagesOfAllLengths_ComeBack_AndItIsClosedByBoth()
    {
        TransportServer server = await ServeAsync(app => app.UseWebSockets().Run(async context =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            byte[] buffer = new byte[10_000];
            ValueWebSocketReceiveResult received;
            while ((received = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None)).MessageType != WebSocketMessageType.Close)
            {
                await socket.SendAsync(buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, CancellationToken.None);
            }

            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "bye", CancellationToken.None);
        }));
        using var client = new ClientWebSocket();
        await Deadline.For(client.ConnectAsync(new Uri($"ws://127.0.0.1:{server.Port}/"), CancellationToken.None));
        foreach (int length in new[] { 0, 1, 125, 126, 65_535, 65_536, 300_000 })
        {
            Task sent = client.SendAsync(Pattern.Bytes(length, length), WebSocketMessageType.Binary, true, CancellationToken.None);
            byte[] message = await Deadline.For(ReceiveAsync(client, length));
            Assert.True(Pattern.IsAt(length, message));
            await Deadline.For(sent);
        }

        await Deadline.For(client.CloseAsync(WebSocketCloseStatus.NormalClosure, "bye", CancellationToken.None));
        Assert.Equal(WebSocketState.Closed, client.State);
    }

    [Fact]
    public async Task Http2WithPriorKnowledge_100StreamsAtOnce_OnOneConnection()
    {
        const int Streams = 100;
        const int Length = 30_000;
        using var started = new CountdownEvent(Streams);
        TaskCompletionSource all = NewGate();
        TransportServer server = await ServeAsync(new ServerPlan
        {
            Protocols = HttpProtocols.Http2,

            // The client keeps the headers of a request with a body in its buffer until bytes of any request follow. If other requests have used up
            // the window of the connection none do before handlers read, and these wait for that very request.
            Kestrel = kestrel => kestrel.Limits.Http2.InitialConnectionWindowSize = Streams * Length,
            App = app => app.Run(async context =>
            {
                if (started.Signal())
                {
                    all.TrySetResult();
                }

                await all.Task; // they are all here at once; the test ends this wait in any case
                await context.Request.Body.CopyToAsync(context.Response.Body);
            }),
        });
        using HttpClient client = server.CreateClient(HttpVersion.Version20);
        client.Timeout = Timeout.InfiniteTimeSpan; // the deadlines below come first, and say more
        Task<byte[]>[] answers = Echoes(client, Streams, Length);
        try
        {
            await server.WaitForAsync(all.Task, () => $"{started.CurrentCount} of {Streams} streams have not started; {Ends(answers)}");
        }
        finally
        {
            all.TrySetResult();
        }

        await server.WaitForAsync(Task.WhenAll(answers), () => Ends(answers));
        AssertEchoes(await Task.WhenAll(answers), Length);
        Assert.Equal(1, server.Connections.Accepted);
    }

    [Fact]
    public async Task Http2_MoreThanTheWindowOfTheConnectionTakes_ComesBackAsItWas()
    {
        const int Streams = 100;
        const int Length = 30_000; // an answer fits into the window of its stream: the client reads none before it has sent its body
        TransportServer server = await ServeAsync(new ServerPlan
        {
            Protocols = HttpProtocols.Http2,
            Kestrel = static kestrel => kestrel.Limits.Http2.InitialConnectionWindowSize = 65_535, // the smallest
            App = app => app.Run(context => context.Request.Body.CopyToAsync(context.Response.Body)),
        });
        using HttpClient client = server.CreateClient(HttpVersion.Version20);
        client.Timeout = Timeout.InfiniteTimeSpan; // the deadline below comes first, and says more
        Task<byte[]>[] answers = Echoes(client, Streams, Length);

        await server.WaitForAsync(Task.WhenAll(answers), () => Ends(answers));
        AssertEchoes(await Task.WhenAll(answers), Length);
    }

    [Fact]
    public async Task Http2_ClientThatLeaves_CancelsAllItsRequests()
    {
        const int Streams = 20;
        using var started = new CountdownEvent(Streams);
        using var cancelled = new CountdownEvent(Streams);
        TransportServer server = await ServeAsync(new ServerPlan
        {
            Protocols = HttpProtocols.Http2,
            App = app => app.Run(async context =>
            {
                started.Signal();
                await Deadline.For(Cancelled(context.RequestAborted));
                cancelled.Signal();
            }),
        });
        Task<HttpResponseMessage>[] requests;
        using (HttpClient client = server.CreateClient(HttpVersion.Version20))
        {
            requests = [.. Enumerable.Range(0, Streams).Select(_ => client.GetAsync(new Uri("/", UriKind.Relative)))];
            Deadline.Wait(started);
        }

        Deadline.Wait(cancelled);
        foreach (Task<HttpResponseMessage> request in requests)
        {
            await Assert.ThrowsAnyAsync<Exception>(() => Deadline.For(request));
        }
    }

    private static Task<byte[]>[] Echoes(HttpClient client, int count, int length) => [.. Enumerable.Range(0, count).Select(async i =>
    {
        using var content = new ByteArrayContent(Pattern.Bytes(i, length));
        using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), content);
        return await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
    })];

    private static string Ends(Task<byte[]>[] answers) =>
        $"the client has {answers.Count(static answer => answer.IsCompletedSuccessfully)} answers, and "
        + $"{answers.Count(static answer => answer.IsFaulted)} errors: {answers.FirstOrDefault(static answer => answer.IsFaulted)?.Exception}";

    private static void AssertEchoes(byte[][] bodies, int length) => Assert.All(bodies, (body, i) =>
    {
        Assert.Equal(length, body.Length);
        Assert.True(Pattern.IsAt(i, body));
    });

    private static async Task<byte[]> ReceiveAsync(ClientWebSocket client, int length)
    {
        byte[] message = new byte[length + 1];
        int count = 0;
        ValueWebSocketReceiveResult received;
        do
        {
            received = await client.ReceiveAsync(message.AsMemory(count), CancellationToken.None);
            count += received.Count;
        }
        while (!received.EndOfMessage);

        Assert.Equal(length, count);
        return message[..count];
    }
}

public sealed class ProtocolsOnSockets() : ProtocolContract(Carrier.Sockets);

public sealed class ProtocolsOnLoops() : ProtocolContract(Carrier.Loops);

public sealed class ProtocolsOnLoopsAndPool() : ProtocolContract(Carrier.LoopsAndPool);

public sealed class ProtocolsOnLoopsAlone() : ProtocolContract(Carrier.LoopsAlone);

public sealed class ProtocolsOnAdaptive() : ProtocolContract(Carrier.Adaptive);
