using System.Diagnostics;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>One client has sent very many requests at once, and the application runs on the loop that all clients share.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class GreedyClientTests
{
    private const int Requests = 5_000; // together they have room in what the transport reads ahead

    // Each lasts so long by the clock, so a turn has a largest number of them. A busy machine makes turns shorter, never longer.
    private static readonly TimeSpan s_each = TimeSpan.FromMicroseconds(25);

    // Two turns, each with the requests until the loop reads the clock: that in which the other request comes, and one that was due already.
    private const int Most = 60;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OthersHaveTheirTurn_BehindAFewOfItsRequests(bool isReadAhead)
    {
        int served = 0, sentAt = -1;
        var waited = new List<int>();
        RawClient? other = null;
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] request = Encoding.ASCII.GetBytes(Get("/"));
        await using NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/first", (HttpContext _) => isReadAhead ? begin.Task : Task.CompletedTask);
                app.MapGet("/greedy", (HttpContext context) =>
                {
                    long began = Stopwatch.GetTimestamp();
                    served++;
                    if (sentAt < 0)
                    {
                        sentAt = served;
                        other!.Socket.Send(request); // from here, so it is there at once, in the middle of a turn
                    }

                    context.Response.ContentLength = 0;
                    while (Stopwatch.GetElapsedTime(began) < s_each)
                    {
                    }

                    return Task.CompletedTask;
                });
                app.MapGet("/", (HttpContext context) =>
                {
                    waited.Add(served - sentAt);
                    sentAt = -1;
                    context.Response.ContentLength = 0;
                    return Task.CompletedTask;
                });
            },
            options => (options.LoopCount, options.Requests) = (1, NativeTransportRequests.Loops));
        using RawClient greedy = await server.ConnectAsync();
        using (other = await server.ConnectAsync())
        {
            await other.GetAsync("/", "\r\n\r\n"); // it has started, and is on the loop
            waited.Clear();
            Task sent = greedy.SendAsync(Get("/first") + string.Concat(Enumerable.Repeat(Get("/greedy"), Requests)) + Get("/last"));
            if (isReadAhead)
            {
                await sent;
            }

            begin.SetResult();
            await greedy.ReadThroughAsync("404"); // the last one is nowhere
            await sent;
        }

        Assert.Equal(Requests, served);
        Assert.True(waited.Count >= Requests / Most / 2, $"{waited.Count} requests of the other client were served.");
        Assert.InRange(waited.Order().ElementAt(waited.Count / 2), 0, Most); // a busy kernel may bring a request later
    }

    [Fact]
    public async Task ThoseThatResetInTheMiddleOfATurn_OrReadNothing_HoldUpNobody_NorTheEnd()
    {
        const int Clients = 20;
        int served = 0;
        NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/greedy", () => $"{Interlocked.Increment(ref served)}");
                app.MapGet("/", () => "well");
            },
            options => (options.LoopCount, options.Requests) = (1, NativeTransportRequests.Loops));
        using RawClient other = await server.ConnectAsync();
        byte[] requests = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(Get("/greedy"), Requests)));
        var slow = new List<RawClient>();
        for (int i = 0; i < Clients; i++)
        {
            RawClient greedy = await server.ConnectAsync();
            int before = Volatile.Read(ref served);
            await greedy.SendAsync(requests);
            Deadline.Until(() => Volatile.Read(ref served) > before + 100, "it is served");
            if (i % 2 == 0)
            {
                greedy.Reset();
            }
            else
            {
                slow.Add(greedy);
            }

            await other.GetAsync("/", "well");
        }

        await server.AbandonAsync();

        Assert.Equal(0, server.Records.Count(TransportRecords.CallbackFailed));
        slow.ForEach(static client => client.Dispose());
    }

    private static string Get(string path) => $"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n";
}
