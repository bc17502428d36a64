using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Large bodies, and sides that hold each other up.</summary>
public abstract class BodyContract(Carrier carrier) : TransportContract(carrier)
{
    private const int MiB = 1 << 20;

    /// <summary>More than the kernel's buffers and the server's take together: reached only where one side buffers without end.</summary>
    private const int MostInFlight = 12 * MiB;

    private const int Large = 16 * MiB;

    [Fact]
    public async Task LargeBody_ChunkedBothWays_ComesBackAsItWas()
    {
        int size = Soak.Rounds(8) * MiB;
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(context => context.Request.Body.CopyToAsync(context.Response.Body)),
            Kestrel = kestrel => kestrel.Limits.MaxRequestBodySize = null,
        });
        using RawClient client = await server.ConnectAsync();
        Task sent = SendAsync();

        Assert.Equal("chunked", new RawResponse(await client.ReadUntilAsync("\r\n\r\n"), []).Header("Transfer-Encoding"));
        long received = 0;
        for (byte[] chunk = await client.ReadChunkAsync(); chunk.Length > 0; chunk = await client.ReadChunkAsync())
        {
            Assert.True(Pattern.IsAt(received, chunk), $"other bytes from {received} on");
            received += chunk.Length;
        }

        Assert.Equal(size, received);
        await Deadline.For(sent);
        await client.SendAsync(Get); // the connection stays usable
        Assert.Equal(200, (await client.ReadResponseAsync()).Status);

        async Task SendAsync()
        {
            var random = new Random(size);
            await client.SendAsync("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int done = 0, count; done < size; done += count)
            {
                count = Math.Min(random.Next(1, 200_000), size - done);
                await client.SendAsync($"{count:x}\r\n");
                await client.SendAsync(Pattern.Bytes(done, count));
                await client.SendAsync("\r\n");
            }

            await client.SendAsync("0\r\n\r\n");
        }
    }

    [Fact]
    public async Task ClientThatDoesNotRead_HoldsUpItsHandler_AndGetsEverythingLater()
    {
        const int Block = 64 * 1024;
        var written = new Progress();
        TransportServer server = await ServeAsync(async context =>
        {
            context.Response.ContentLength = Large;
            for (int i = 0; i < Large; i += Block)
            {
                await context.Response.Body.WriteAsync(Pattern.Bytes(i, Block));
                written.Add(Block);
            }
        });
        using RawClient client = await server.ConnectAsync(receiveBuffer: 256 * 1024);
        await client.SendAsync(Get);
        await client.ReadUntilAsync("\r\n\r\n");

        Assert.InRange(await written.StandstillAsync(), 1, MostInFlight);

        var random = new Random(1);
        for (int received = 0, count; received < Large; received += count)
        {
            count = Math.Min(random.Next(1, 100_000), Large - received);
            Assert.True(Pattern.IsAt(received, await client.ReadAsync(count)), $"other bytes from {received} on");
        }

        Deadline.Until(() => written.Bytes == Large); // the last bytes may be here before their handler continues
    }

    [Fact]
    public async Task HandlerThatDoesNotRead_HoldsUpItsClient_AndGetsEverythingLater()
    {
        TaskCompletionSource read = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            await Deadline.For(read.Task);
            byte[] buffer = new byte[50_000];
            int received = 0;
            for (int count; (count = await context.Request.Body.ReadAsync(buffer)) > 0; received += count)
            {
                Assert.True(Pattern.IsAt(received, buffer.AsSpan(0, count)), $"other bytes from {received} on");
            }

            await context.Response.WriteAsync($"{received}");
        });
        using RawClient client = await server.ConnectAsync(sendBuffer: 256 * 1024);
        var sent = new Progress();
        Task all = SendAsync();

        Assert.InRange(await sent.StandstillAsync(), 1, MostInFlight);

        read.SetResult();
        Assert.Equal($"{Large}", (await client.ReadResponseAsync()).Text);
        await Deadline.For(all);

        async Task SendAsync()
        {
            const int Block = 64 * 1024;
            await client.SendAsync($"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {Large}\r\n\r\n");
            for (int i = 0; i < Large; i += Block)
            {
                await client.SendAsync(Pattern.Bytes(i, Block));
                sent.Add(Block);
            }
        }
    }

    [Fact]
    public async Task RequestsByteByByte_AreReadAsIfTheyHadComeAtOnce()
    {
        TransportServer server = await ServeAsync(context => context.Request.Body.CopyToAsync(context.Response.Body));
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            await client.SendByteByByteAsync("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789");
            Assert.Equal("0123456789", (await client.ReadResponseAsync()).Text);
            await client.SendByteByByteAsync("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
            Assert.Equal("abcdefg", (await client.ReadResponseAsync()).Text);
        }

        Assert.Equal(1, server.Connections.Accepted);
    }

    [Fact]
    public async Task HalfRequests_KeepNobodyFromAnAnswer_AndAreAnsweredWithTheirOtherHalf()
    {
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync("here"));
        RawClient[] slow = [.. await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => server.ConnectAsync()))];
        try
        {
            foreach (RawClient client in slow)
            {
                await client.SendAsync(Get[..^10]);
            }

            await AssertServesAsync(server);

            foreach (RawClient client in slow)
            {
                await client.SendAsync(Get[^10..]);
                Assert.Equal("here", (await client.ReadResponseAsync()).Text);
            }
        }
        finally
        {
            Array.ForEach(slow, static client => client.Dispose());
        }
    }
}

public sealed class BodiesOnSockets() : BodyContract(Carrier.Sockets);

public sealed class BodiesOnLoops() : BodyContract(Carrier.Loops);

public sealed class BodiesOnLoopsAndPool() : BodyContract(Carrier.LoopsAndPool);

public sealed class BodiesOnLoopsAlone() : BodyContract(Carrier.LoopsAlone);

public sealed class BodiesOnAdaptive() : BodyContract(Carrier.Adaptive);
