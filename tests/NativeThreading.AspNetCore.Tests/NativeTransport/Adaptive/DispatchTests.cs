using System.Collections.Concurrent;
using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What is said beforehand, and that requests are what they were, on the pool, on the loop and in between.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class DispatchTests
{
    [Fact]
    public async Task InlineEndpoints_RunOnTheLoopFromTheFirstCallOn_AlsoBehindAwaits()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/convention", () => Places.Mine).WithMetadata(new InlineAttribute());
            app.MapGet("/attribute", [Inline] () => Places.Mine);
            app.MapGet("/awaits", async () =>
            {
                await Elsewhere.CompleteAsync();
                return Places.Mine;
            }).WithMetadata(new InlineAttribute());
            app.MapGroup("/group").WithMetadata(new InlineAttribute()).MapGet("/member", () => Places.Mine);
            app.MapGet("/other", () => Places.Mine);
        });

        Assert.Equal(Places.OwnPool, await server.GetAsync("/other"));
        foreach (string path in new[] { "/convention", "/attribute", "/awaits", "/group/member" })
        {
            Assert.Equal(Places.Loop, await server.GetAsync(path));
        }
    }

    [Fact]
    public async Task InlineEndpointThatBlocks_IsNeverSentToThePool_NorIsWhatIsAroundIt()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/blocks", () =>
            {
                string place = Places.Mine;
                Deadline.Until(() => EventLoop.Current is null, "another thread takes the loop over");
                return place;
            }).WithMetadata(new InlineAttribute());
            app.MapGet("/", () => Places.Mine);
        });
        await server.AskUntilAsync("/", Places.Loop);

        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(Places.Loop, await server.GetAsync("/blocks"));
        }

        Assert.Equal(Places.Loop, await server.GetAsync("/"));
    }

    [Fact]
    public async Task PoolName_NamesThePoolOfWhatIsNotProven()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", () => Places.Mine), "requests");

        Assert.Equal("<requests>", await server.GetAsync("/"));
        await server.AskUntilAsync("/", Places.Loop);
    }

    [Fact]
    public async Task EndpointsOnPoolsOfTheirOwn_StayThere()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/convention", () => Places.Mine).RunOnNativeThreadPool("requests").WithMetadata(new InlineAttribute());
            app.MapGet("/attribute", [RunOnNativeThreadPool("requests")] () => Places.Mine);
            app.MapGet("/", () => Places.Mine);
        });
        await server.AskUntilAsync("/", Places.Loop);

        for (int i = 0; i < 80; i++)
        {
            Assert.Equal("<requests>", await server.GetAsync(i % 2 == 0 ? "/convention" : "/attribute"));
        }
    }

    [Fact]
    public async Task Exceptions_EndTheirRequests_WhereverTheyAreThrown()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                try
                {
                    await next(context);
                }
                catch (InvalidDataException)
                {
                    await context.Response.WriteAsync($"<caught on {Places.Mine[1..]}");
                }
            });
            app.MapGet("/now", new RequestDelegate(_ => throw new InvalidDataException("expected")));
            app.MapGet("/later", async () =>
            {
                await Elsewhere.CompleteAsync();
                throw new InvalidDataException("expected");
            });
        });

        await server.AskUntilAsync("/now", "<caught on loop>");
        await server.AskUntilAsync("/later", "<caught on loop>");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ClientThatLeaves_CancelsItsRequest(bool isProven)
    {
        var started = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/{waits:bool}", async (HttpContext context, bool waits) =>
        {
            if (waits)
            {
                started.SetResult(Places.Mine);
                var gone = new TaskCompletionSource();
                context.RequestAborted.Register(gone.SetResult);
                await gone.Task;
                cancelled.SetResult();
            }

            return Places.Mine;
        }));
        if (isProven)
        {
            await server.AskUntilAsync("/false", Places.Loop);
        }

        using RawClient client = await server.Server.ConnectAsync();
        await client.SendAsync("GET /true HTTP/1.1\r\nHost: x\r\n\r\n");
        Assert.Equal(isProven ? Places.Loop : Places.OwnPool, await Deadline.For(started.Task));
        client.Reset();

        await Deadline.For(cancelled.Task);
    }

    [Fact]
    public async Task BodiesThatStream_ComeBackAsTheyWere_OnThePoolAndOnTheLoop()
    {
        var places = new ConcurrentDictionary<string, bool>();
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            places[Places.Mine] = true;
            await context.Request.Body.CopyToAsync(context.Response.Body);
        }));
        using var client = new HttpClient { BaseAddress = server.Server.Address, Timeout = Deadline.Time };
        byte[] body = new byte[200_000];
        Random.Shared.NextBytes(body);

        for (int i = 0; i < 200 && !places.ContainsKey(Places.Loop); i++)
        {
            using HttpResponseMessage answer = await Deadline.For(client.PostAsync("/", new ByteArrayContent(body)));
            Assert.Equal(body, await Deadline.For(answer.Content.ReadAsByteArrayAsync()));
        }

        Assert.Equal([Places.OwnPool, Places.Loop], places.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task CallThatLasts_GoesToTheLoopInTheMiddle()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.UseWebSockets().Run(async context =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            byte[] buffer = new byte[100];
            while ((await socket.ReceiveAsync(buffer, CancellationToken.None)).MessageType != WebSocketMessageType.Close)
            {
                await socket.SendAsync(Encoding.ASCII.GetBytes(Places.Mine), WebSocketMessageType.Text, true, CancellationToken.None);
            }
        }));
        using var client = new ClientWebSocket();
        await Deadline.For(client.ConnectAsync(new Uri($"ws://{server.Server.EndPoint}/"), CancellationToken.None));
        var places = new List<string>();
        byte[] buffer = new byte[100];
        do
        {
            await Deadline.For(client.SendAsync(new byte[1], WebSocketMessageType.Binary, true, CancellationToken.None));
            WebSocketReceiveResult received = await Deadline.For(client.ReceiveAsync(buffer, CancellationToken.None));
            places.Add(Encoding.ASCII.GetString(buffer, 0, received.Count));
        }
        while (places[^1] != Places.Loop && places.Count < 5_000);

        Assert.Equal(Places.OwnPool, places[0]);
        Assert.Equal(Places.Loop, places[^1]);
        await Deadline.For(client.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", CancellationToken.None));
    }
}
