using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>One client has sent very many requests at once, and the application runs on the loop that all clients share.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class GreedyClientTests
{
    private const string Request = "GET /greedy HTTP/1.1\r\nHost: x\r\n\r\n";
    private const int Batch = 2_000, Rounds = 20;

    // Twice what is read for a connection in a turn, as requests: those that were begun, and those of the turn in which the other one is seen.
    private const int Most = 2 * 16 * 1024 / 34;

    [Fact]
    public async Task OthersHaveTheirTurn_BehindAFewHundredOfItsRequests()
    {
        int served = 0, sentAt = 0;
        RawClient? other = null;
        byte[] request = Encoding.ASCII.GetBytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        var waited = new List<int>();
        await using NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/greedy", (HttpContext context) =>
                {
                    // Once in a batch, wherever the turn is then, the other client sends its request: from here, so it is there at once.
                    if (++served % Batch == served / Batch * 97)
                    {
                        sentAt = served;
                        other!.Socket.Send(request);
                    }

                    context.Response.ContentLength = 0;
                    return Task.CompletedTask;
                });
                app.MapGet("/", () =>
                {
                    waited.Add(served - sentAt);
                    return "other";
                });
            },
            options => (options.LoopCount, options.Requests) = (1, NativeTransportRequests.Loops));
        using RawClient greedy = await server.ConnectAsync();
        using (other = await server.ConnectAsync())
        {
            await greedy.SendAsync(string.Concat(Enumerable.Repeat(Request, Batch * Rounds)) + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            (byte[] answers, _) = await greedy.ReadAllAsync();
            Assert.Contains("other", Encoding.ASCII.GetString(answers[^64..]), StringComparison.Ordinal);
        }

        Assert.InRange(waited.SkipLast(1).Max(), 0, Most);
        Assert.True(waited.Count > Rounds / 2, $"{waited.Count} requests of the other client were served.");
    }
}
