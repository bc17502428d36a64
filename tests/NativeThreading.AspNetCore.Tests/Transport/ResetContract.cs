using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>A client that resets its connection, in each phase of a request.</summary>
public abstract class ResetContract(Carrier carrier) : TransportContract(carrier)
{
    [Theory]
    [InlineData("")]
    [InlineData("GE")]
    [InlineData("GET / HTTP/1.1\r\nHost: loc")]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHo")]
    public async Task BeforeItsRequestIsWhole_NothingIsLeft_AndOthersAreServed(string sent)
    {
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync("here"));
        for (int i = 0; i < 50; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(sent);
            client.Reset();
        }

        await AssertServesAsync(server);
        AssertNothingIsLeft(server);
    }

    [Fact]
    public async Task WhileItsBodyIsRead_TheReaderIsTold_AndTheRequestCancelled()
    {
        TaskCompletionSource started = NewGate();
        TaskCompletionSource<Exception?> seen = NewGate<Exception?>();
        TransportServer server = await ServeAsync(async context =>
        {
            if (context.Request.Method == "GET")
            {
                return;
            }

            byte[] buffer = new byte[100];
            await context.Request.Body.ReadAtLeastAsync(buffer, 1);
            Task cancelled = Cancelled(context.RequestAborted);
            started.SetResult();
            Exception? exception = await Record.ExceptionAsync(() => context.Request.Body.CopyToAsync(Stream.Null));
            await Deadline.For(cancelled);
            seen.SetResult(exception);
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n0123");
        await Deadline.For(started.Task);

        client.Reset();

        Exception? exception = await Deadline.For(seen.Task);
        Assert.True(exception is IOException or OperationCanceledException, $"{exception}");
        await AssertServesAsync(server);
        AssertNothingIsLeft(server);
    }

    [Fact]
    public async Task WhileItsHandlerWaits_TheRequestIsCancelled()
    {
        TaskCompletionSource started = NewGate();
        TaskCompletionSource ended = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            if (context.Request.Path == "/wait")
            {
                started.SetResult();
                await Deadline.For(Cancelled(context.RequestAborted));
                ended.SetResult();
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await Deadline.For(started.Task);

        client.Reset();

        await Deadline.For(ended.Task);
        await AssertServesAsync(server);
        AssertNothingIsLeft(server);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WhileItsResponseIsWritten_TheWriterGoesOnToItsEnd(bool clientReads)
    {
        var written = new Progress();
        TaskCompletionSource<Exception?> ended = NewGate<Exception?>();
        TransportServer server = await ServeAsync(async context =>
        {
            if (context.Request.Path == "/endless")
            {
                byte[] block = new byte[64 * 1024];
                ended.SetResult(await Record.ExceptionAsync(async () =>
                {
                    while (!context.RequestAborted.IsCancellationRequested)
                    {
                        await context.Response.Body.WriteAsync(block);
                        written.Add(block.Length);
                    }
                }));
            }
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if (clientReads)
        {
            await client.ReadAsync(500_000);
        }
        else
        {
            await written.StandstillAsync(); // its write waits then
        }

        client.Reset();

        Exception? exception = await Deadline.For(ended.Task);
        Assert.True(exception is null or IOException or OperationCanceledException, $"{exception}");
        await AssertServesAsync(server);
        AssertNothingIsLeft(server);
    }

    [Fact]
    public async Task BehindItsAnswer_NothingIsLeft()
    {
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync("here"));
        for (int i = 0; i < 50; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.SendAsync(Get);
            await client.ReadResponseAsync();
            client.Reset();
        }

        AssertNothingIsLeft(server);
    }

    private static void AssertNothingIsLeft(TransportServer server) =>
        Deadline.Until(() => server.Connections.Open == 0, () => $"{server.Connections.Open} connections are left");
}

public sealed class ResetsOnSockets() : ResetContract(Carrier.Sockets);

public sealed class ResetsOnLoops() : ResetContract(Carrier.Loops);

public sealed class ResetsOnLoopsAndPool() : ResetContract(Carrier.LoopsAndPool);

public sealed class ResetsOnLoopsAlone() : ResetContract(Carrier.LoopsAlone);

public sealed class ResetsOnAdaptive() : ResetContract(Carrier.Adaptive);
