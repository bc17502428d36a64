using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Only unread and unsent bytes hold blocks.</summary>
public sealed class BlockTests
{
    /// <param name="length">Of what a client sends at once. A full block: the loop reads once more, and finds nothing.</param>
    /// <param name="onLoops">Whether the application runs there.</param>
    [Theory]
    [InlineData(100, false)]
    [InlineData(100, true)]
    [InlineData(PinnedBlockPool.BlockSize, false)]
    [InlineData(PinnedBlockPool.BlockSize, true)]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task IdleConnections_ThatHaveServed_HoldNone(int length, bool onLoops)
    {
        const int Clients = 1_000;
        PinnedBlockPool? blocks = null;
        await using NativeServer server = await NativeServer.ServeAsync(
            app => app.MapGet("/{**path}", (HttpContext context) =>
            {
                blocks = (PinnedBlockPool)context.Features.Get<IMemoryPoolFeature>()!.MemoryPool;
                return "served";
            }),
            options => options.Requests = onLoops ? NativeTransportRequests.Loops : NativeTransportRequests.RuntimePool);
        string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        request = request.Replace("/ ", $"/{new string('x', length - request.Length)} ", StringComparison.Ordinal);
        var clients = new List<RawClient>();
        try
        {
            for (int i = 0; i < Clients; i++)
            {
                clients.Add(await server.ConnectAsync());
                await clients[i].SendAsync(request);
                Assert.EndsWith("served\r\n0\r\n\r\n", await clients[i].ReadThroughAsync("0\r\n\r\n"), StringComparison.Ordinal);
            }

            Deadline.Until(() => blocks!.RentedCount == 0, () => $"{blocks!.RentedCount} blocks are held by {Clients} connections that are idle");
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task WhatIsNotConsumed_IsPackedIntoBlocks_AndTheyComeBackWithTheEnd()
    {
        const int Pieces = 400, Piece = 1_000;
        var read = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        PinnedBlockPool? blocks = null;
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            blocks = (PinnedBlockPool)connection.Features.Get<IMemoryPoolFeature>()!.MemoryPool;
            for (int pieces = 1; pieces <= Pieces; pieces++)
            {
                ReadResult result = await connection.Transport.Input.ReadAtLeastAsync(pieces * Piece);
                Assert.True(Pattern.IsAt(0, result.Buffer.ToArray()));
                connection.Transport.Input.AdvanceTo(result.Buffer.Start); // nothing of it is consumed
                await connection.Transport.Output.WriteAsync("."u8.ToArray());
            }

            read.SetResult();
            ReadResult last = await connection.Transport.Input.ReadAsync();
            while (!last.IsCompleted)
            {
                connection.Transport.Input.AdvanceTo(last.Buffer.Start, last.Buffer.End);
                last = await connection.Transport.Input.ReadAsync();
            }
        });
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < Pieces; i++)
        {
            await client.SendAsync(Pattern.Bytes(i * Piece, Piece));
            await client.ReadThroughAsync(".");
        }

        await Deadline.For(read.Task);
        const int Needed = (Pieces * Piece / PinnedBlockPool.BlockSize) + 1;
        Deadline.Until(() => blocks!.RentedCount <= Needed, () => $"{blocks!.RentedCount} blocks instead of {Needed}"); // one may be on its way back
        client.Finish();
        await client.ReadAllAsync();
        Deadline.Until(() => blocks!.RentedCount == 0, () => $"{blocks!.RentedCount} blocks are left");
    }
}
