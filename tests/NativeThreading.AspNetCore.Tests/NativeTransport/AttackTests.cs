using System.Collections.Concurrent;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>What would bring a server on event loops down, on one loop.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class AttackTests
{
    private const string End = "<end>\r\n0\r\n\r\n"; // of the last chunk

    // T146
    [Theory]
    [InlineData(null)]
    [InlineData("requests")]
    public async Task T146_HandlersThatWaitForTheirOwnServer_AllConnectionsAtOnce_AreAnswered(string? pool)
    {
        int clients = pool is null ? 8 : 32; // the built-in pool adds one or two threads a second
        using var client = new HttpClient { Timeout = Deadline.Time };
        using var started = new CountdownEvent(clients);
        Uri? address = null;
        await using NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/", () =>
                {
                    started.Signal();
                    Deadline.Wait(started); // all of them block at the same time
                    return client.GetStringAsync(new Uri(address!, "/inner")).GetAwaiter().GetResult();
                });
                app.MapGet("/inner", () => "answer");
            },
            options => (options.LoopCount, options.PoolName) = (1, pool));
        address = server.Address;

        string[] answers = await Deadline.For(Task.WhenAll(Enumerable.Range(0, clients).Select(_ => client.GetStringAsync(address))));

        Assert.All(answers, answer => Assert.Equal("answer", answer));
    }

    [Fact]
    public async Task HandlersThatThrow_HarmOnlyTheirOwnRequests()
    {
        await using NativeServer server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/before", string () => throw new InvalidOperationException("expected"));
                app.MapGet("/after", async (HttpContext context) =>
                {
                    await context.Response.WriteAsync("half");
                    await context.Response.Body.FlushAsync();
                    throw new InvalidOperationException("expected");
                });
                app.MapGet("/", () => "well");
            },
            options => options.LoopCount = 1);
        for (int i = 0; i < 50; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await client.GetAsync("/before", "\r\n\r\n");
            await client.GetAsync("/", "well");
            await client.SendAsync("GET /after HTTP/1.1\r\nHost: x\r\n\r\n");
            (byte[] bytes, SocketError end) = await client.ReadAllAsync();
            Assert.False(System.Text.Encoding.ASCII.GetString(bytes).EndsWith("0\r\n\r\n", StringComparison.Ordinal), $"A half answer looks whole ({end}).");
        }

        Assert.Equal(0, server.Records.Count(TransportRecords.CallbackFailed));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("requests")]
    public async Task ThousandsOfShortConnections_EndedInEveryWay_LeaveNoDescriptor(string? pool)
    {
        int connections = Soak.Rounds(3_000);
        await using NativeServer server = await NativeServer.ServeAsync(app => app.MapGet("/", () => "well"), options => options.PoolName = pool);
        using (RawClient first = await server.ConnectAsync())
        {
            await first.GetAsync("/", "well");
        }

        int before = Descriptors();
        await Parallel.ForEachAsync(Enumerable.Range(0, connections), new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (i, _) =>
        {
            using RawClient client = await server.ConnectAsync();
            switch (i % 6)
            {
                case 0:
                    break; // without a byte
                case 1:
                    client.Reset();
                    break;
                case 2:
                    await client.SendAsync("GET / HTTP/1.1\r\nHo"); // in the middle of its headers
                    client.Reset();
                    break;
                case 3:
                    await client.SendAsync("GET / HTTP/1.1\r\nHost: x\r\n\r\n"); // without waiting for the answer
                    client.Reset();
                    break;
                case 4:
                    await client.GetAsync("/", "well");
                    client.Finish();
                    Assert.Equal(SocketError.Success, (await client.ReadAllAsync()).End);
                    break;
                default:
                    await client.GetAsync("/", "well");
                    break;
            }
        });

        Deadline.Until(() => Descriptors() <= before + 5, () => $"descriptors are closed: {before} before, {Descriptors()} now");
        using RawClient last = await server.ConnectAsync();
        await last.GetAsync("/", "well");
        Assert.Equal(0, server.Records.Count(TransportRecords.CallbackFailed));
    }

    [Fact]
    public async Task StopUnderLoad_EveryAnswerThatBegan_IsWhole()
    {
        const int Clients = 16;
        const string Answer = "HTTP/1.1 200 OK\r\n";
        string body = new('x', 20_000);
        foreach (int round in Soak.Repeat(10))
        {
            var broken = new ConcurrentQueue<string>();
            int answered = 0;
            NativeServer server = await NativeServer.ServeAsync(app => app.MapGet("/", () => body + "<end>"));
            RawClient[] connected = await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => server.ConnectAsync()));
            Task[] clients = [.. connected.Select(one => Task.Run(async () =>
            {
                using RawClient client = one;
                while (true)
                {
                    string answer = await AnswerAsync(client);
                    if (answer.Length == 0)
                    {
                        return;
                    }

                    Interlocked.Increment(ref answered);
                    if (!answer.StartsWith(Answer, StringComparison.Ordinal) || !answer.EndsWith(End, StringComparison.Ordinal))
                    {
                        broken.Enqueue($"{answer.Length}: {answer[..Math.Min(200, answer.Length)]}");
                        return;
                    }
                }
            }))];

            Deadline.Until(() => Volatile.Read(ref answered) > 20 * Clients, "the server is under load");
            await server.DisposeAsync();
            await Deadline.For(Task.WhenAll(clients));
            Assert.Empty(broken);
        }
    }

    /// <summary>An answer, or what there is of it; nothing where the server had gone.</summary>
    private static async Task<string> AnswerAsync(RawClient client)
    {
        var text = new System.Text.StringBuilder();
        byte[] buffer = new byte[32 * 1024];
        try
        {
            await client.SendAsync("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            for (int count; (count = await client.ReceiveAsync(buffer)) > 0;)
            {
                text.Append(System.Text.Encoding.ASCII.GetString(buffer, 0, count));
                if (text.ToString().EndsWith(End, StringComparison.Ordinal))
                {
                    break;
                }
            }
        }
        catch (SocketException)
        {
            // Refused or reset: no answer, or half of one, which the test finds.
        }

        return text.ToString();
    }

    private static int Descriptors()
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Proc);
        return Directory.GetFileSystemEntries("/proc/self/fd").Length;
    }
}
