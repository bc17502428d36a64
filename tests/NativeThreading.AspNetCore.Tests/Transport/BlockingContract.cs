using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Handlers that block where they should await, all of them at once (T146).</summary>
public abstract class BlockingContract(Carrier carrier) : TransportContract(carrier)
{
    private const int Half = 3_000;

    // Where handlers run on the built-in pool they starve it: with many of them this takes ten seconds and more, on either transport.
    private int Clients => IsOnLoops && Carrier is (Carrier.LoopsAndPool or Carrier.LoopsAlone or Carrier.Adaptive) ? 64 : 4;

    public enum Way
    {
        Result,
        Wait,
        SynchronousRead,
        SynchronousWrite,
    }

    [Theory]
    [InlineData(Way.Result)]
    [InlineData(Way.Wait)]
    [InlineData(Way.SynchronousRead)]
    [InlineData(Way.SynchronousWrite)]
    public async Task T146_AllHandlersBlock_AndAllAreAnswered(Way way)
    {
        int started = 0;
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(context =>
            {
                Interlocked.Increment(ref started);
                return AnswerAsync(context, way);
            }),
            Kestrel = kestrel => kestrel.AllowSynchronousIO = true,
        });
        RawClient[] clients = [.. await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => server.ConnectAsync()))];
        try
        {
            for (int round = 0; round < 3; round++)
            {
                // The second half comes when handlers wait for it.
                await Task.WhenAll(clients.Select(client => client.SendAsync(
                    $"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {2 * Half}\r\n\r\n{new string('1', Half)}")));
                Deadline.Until(() => Volatile.Read(ref started) > round * Clients);
                await Task.WhenAll(clients.Select(client => client.SendAsync(new string('2', Half))));
                RawResponse[] answers = await Task.WhenAll(clients.Select(client => client.ReadResponseAsync()));
                Assert.All(answers, static answer => Assert.Equal((200, 2 * Half), (answer.Status, answer.Body.Length)));
            }

            await AssertServesAsync(server, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1");
        }
        finally
        {
            Array.ForEach(clients, static client => client.Dispose());
        }
    }

    private static Task AnswerAsync(HttpContext context, Way way)
    {
        byte[] body = new byte[2 * Half];
        switch (way)
        {
            case Way.Result:
                _ = ReadAsync(context, body).Result;
                break;
            case Way.Wait:
                Endless.Wait(ReadAsync(context, body));
                break;
            case Way.SynchronousRead:
                context.Request.Body.ReadAtLeast(body, body.Length, throwOnEndOfStream: false);
                break;
            default:
                context.Response.ContentLength = body.Length;
                context.Response.Body.Write(body);
                context.Response.Body.Flush();
                break;
        }

        return way == Way.SynchronousWrite ? Task.CompletedTask : context.Response.Body.WriteAsync(body).AsTask();
    }

    private static async Task<int> ReadAsync(HttpContext context, byte[] body)
    {
        await Elsewhere.CompleteAsync();
        return await context.Request.Body.ReadAtLeastAsync(body, body.Length, throwOnEndOfStream: false);
    }
}

public sealed class BlockingOnSockets() : BlockingContract(Carrier.Sockets);

public sealed class BlockingOnLoops() : BlockingContract(Carrier.Loops);

public sealed class BlockingOnLoopsAndPool() : BlockingContract(Carrier.LoopsAndPool);

public sealed class BlockingOnLoopsAlone() : BlockingContract(Carrier.LoopsAlone);

public sealed class BlockingOnAdaptive() : BlockingContract(Carrier.Adaptive);
