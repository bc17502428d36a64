using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Requests of HTTP/1.1 one after the other.</summary>
public abstract class RequestContract(Carrier carrier) : TransportContract(carrier)
{
    [Fact]
    public async Task Json_OverKeepAlive_EachRequestIsAnsweredOnTheOneConnection()
    {
        TransportServer server = await ServeAsync(app => app.MapGet("/{id:int}", (int id) => Results.Json(new { id })));
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 200; i++)
        {
            await client.SendAsync($"GET /{i} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawResponse response = await client.ReadResponseAsync();
            Assert.Equal((200, $"{{\"id\":{i}}}"), (response.Status, response.Text));
        }

        Assert.Equal(1, server.Connections.Accepted);
    }

    [Fact]
    public async Task PipelinedRequests_AreAnsweredInTheirOrder()
    {
        const int Requests = 2_000;
        TransportServer server = await ServeAsync(async context =>
        {
            if (context.Request.Path.Value![^1] is '3')
            {
                await Elsewhere.CompleteAsync();
            }

            await context.Response.WriteAsync(context.Request.Path.Value);
        });
        using RawClient client = await server.ConnectAsync();
        var requests = new StringBuilder();
        for (int i = 0; i < Requests; i++)
        {
            requests.Append($"GET /{i} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }

        Task sent = client.SendAsync(requests.ToString());
        for (int i = 0; i < Requests; i++)
        {
            Assert.Equal($"/{i}", (await client.ReadResponseAsync()).Text);
        }

        await Deadline.For(sent);
        Assert.Equal(1, server.Connections.Accepted);
    }

    [Fact]
    public async Task HandlersThatThrow_AreAnswered500_AndTheConnectionGoesOn()
    {
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(async context =>
            {
                switch (context.Request.Path.Value)
                {
                    case "/later":
                        await Elsewhere.CompleteAsync();
                        throw new InvalidOperationException("thrown after an await");
                    case "/now":
                        throw new InvalidOperationException("thrown at once");
                    default:
                        await context.Response.WriteAsync("good");
                        break;
                }
            }),
            LogsErrors = true,
        });
        using RawClient client = await server.ConnectAsync();
        foreach ((string path, int status) in new[] { ("/now", 500), ("/", 200), ("/later", 500), ("/", 200) })
        {
            await client.SendAsync($"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Assert.Equal(status, (await client.ReadResponseAsync()).Status);
        }

        Assert.Equal(1, server.Connections.Accepted);
    }

    [Fact]
    public async Task Handlers_RunWhereTheTransportSays_FirstAndLaterOnes_AlsoBehindAnAwait()
    {
        TransportServer server = await ServeAsync(async context =>
        {
            string carried = context.Features.Get<IConnectionSocketFeature>()!.GetType().Assembly.GetName().Name!;
            string first = Where.AmI;
            await Elsewhere.CompleteAsync();
            await context.Response.WriteAsync($"{carried}: {first}, {Where.AmI}");
        });
        string place = !IsOnLoops ? Where.Runtime : Carrier switch
        {
            Carrier.LoopsAndPool => TransportServer.Pool,
            Carrier.LoopsAlone => Where.Loop,
            Carrier.Adaptive => "kestrel without its context", // the first ones, which are watched
            _ => Where.Runtime,
        };
        string carrier = IsOnLoops ? "NativeThreading.Kestrel" : "Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets";
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            await client.SendAsync(Get);
            Assert.Equal($"{carrier}: {place}, {place}", (await client.ReadResponseAsync()).Text);
        }
    }

    [Fact]
    public async Task ConnectionClose_TheClientGetsEverything_AndThenAnEnd()
    {
        const int Blocks = 64;
        const int Block = 16 * 1024;
        TransportServer server = await ServeAsync(async context =>
        {
            for (int i = 0; i < Blocks; i++)
            {
                await context.Response.Body.WriteAsync(Pattern.Bytes(i * Block, Block));
            }
        });
        for (int round = 0; round < 10; round++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            RawResponse response = await client.ReadResponseAsync();
            Assert.Equal(Blocks * Block, response.Body.Length);
            Assert.True(Pattern.IsAt(0, response.Body));
            Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
        }
    }

    // Kestrel takes the client's end for its departure, so the answer and the end race; what there is is whole, and nothing is reset.
    [Fact]
    public async Task RequestWithTheClientsEndBehindIt_IsAnsweredOrNot_ButWithoutAReset()
    {
        int answered = 0;
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync("all of it"));
        for (int round = 0; round < 100; round++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(Get);
            client.EndSending();
            try
            {
                if (await client.TryReadResponseAsync() is { } response)
                {
                    Assert.Equal("all of it", response.Text);
                    answered++;
                }

                Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
            }
            catch (EndOfStreamException)
            {
                // Kestrel ends the connection when it learns of the client's end: maybe between two parts of the answer.
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{answered} of 100 were answered"); // on Kestrel's sockets there may be none
    }

    [Fact]
    public async Task ClientsEnd_WhileTheHandlerWaits_CancelsTheRequest()
    {
        TaskCompletionSource started = NewGate();
        TaskCompletionSource cancelled = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            started.SetResult();
            await Deadline.For(Cancelled(context.RequestAborted));
            cancelled.SetResult();
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(Get);
        await Deadline.For(started.Task);

        client.EndSending();

        await Deadline.For(cancelled.Task);
        Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
    }

    [Fact]
    public async Task Headers_UpToTheLimitAreRead_AndBeyondAnswered431()
    {
        const int Limit = 32 * 1024;
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync($"{context.Request.Headers["Long"][0]!.Length}"));
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync($"GET / HTTP/1.1\r\nHost: localhost\r\nLong: {new string('x', 30_000)}\r\n\r\n");
        Assert.Equal("30000", (await client.ReadResponseAsync()).Text);

        await client.SendAsync($"GET / HTTP/1.1\r\nHost: localhost\r\nLong: {new string('x', Limit)}");
        Assert.Equal(431, (await client.ReadResponseAsync()).Status);
        await client.ReadEndAsync(); // of either kind: what the server has left unread makes it a reset
    }
}

public sealed class RequestsOnSockets() : RequestContract(Carrier.Sockets);

public sealed class RequestsOnLoops() : RequestContract(Carrier.Loops);

public sealed class RequestsOnLoopsAndPool() : RequestContract(Carrier.LoopsAndPool);

public sealed class RequestsOnLoopsAlone() : RequestContract(Carrier.LoopsAlone);

public sealed class RequestsOnAdaptive() : RequestContract(Carrier.Adaptive);
