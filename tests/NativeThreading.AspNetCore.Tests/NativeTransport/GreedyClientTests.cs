using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>One client has sent very many requests at once, and the application runs on the loop that all clients share.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class GreedyClientTests
{
    private const int Batch = 2_000, Batches = 14; // together they have room in what the transport reads ahead

    // An answer has some 90 bytes. Kestrel writes 64 KiB of them before it waits, and twice that leaves before the loop polls.
    private const int Most = 3_000;

    [Fact]
    public async Task OthersHaveTheirTurn_BehindAFewOfItsRequests()
    {
        int served = 0, sentAt = 0;
        RawClient? other = null;
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] request = Encoding.ASCII.GetBytes(Get("/"));
        var waited = new List<int>();
        await using NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/first", async () => await begin.Task);
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
                app.MapGet("/", () => waited.Add(served - sentAt));
            },
            options => (options.LoopCount, options.Requests) = (1, NativeTransportRequests.Loops));
        using RawClient greedy = await server.ConnectAsync();
        using (other = await server.ConnectAsync())
        {
            await greedy.SendAsync(Get("/first") + string.Concat(Enumerable.Repeat(Get("/greedy"), Batch * Batches)));
            greedy.Finish();
            begin.SetResult();
            await greedy.ReadAllAsync();
        }

        Assert.Equal(Batch * Batches, served);
        Assert.True(waited.Count >= Batches - 2, $"{waited.Count} requests of the other client were served.");
        Assert.InRange(waited.Max(), 0, Most);

        static string Get(string path) => $"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n";
    }
}
