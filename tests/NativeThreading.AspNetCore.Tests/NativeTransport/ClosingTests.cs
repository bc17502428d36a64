using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Connections;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>How connections end, as handlers and peers see it. As with Kestrel's own sockets.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class ClosingTests
{
    [Fact]
    public async Task OrderlyEnd_AllThatWasFlushedArrives_AndThenAFin()
    {
        byte[] answer = RandomNumberGenerator.GetBytes(16 * 1024 * 1024);
        var returns = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                await connection.Transport.Output.WriteAsync(answer);
                returns.SetResult();
            },
            options => options.MaxWriteBufferSize = null);
        using RawClient client = await server.ConnectAsync();

        await Deadline.For(returns.Task, "the handler returns with most of its answer unsent");
        (byte[] bytes, SocketError end) = await client.ReadAllAsync();

        Assert.Equal(SocketError.Success, end);
        Assert.Equal(answer, bytes);
    }

    [Fact]
    public async Task Abort_IsReadAsAReset_AlsoWithBytesOnTheirWay()
    {
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                ReadResult read = await connection.Transport.Input.ReadAsync();
                _ = connection.Transport.Output.WriteAsync(new byte[read.Buffer.Length]).AsTask();
                connection.Abort();
            });

        foreach (int bytes in (int[])[1, 4 * 1024 * 1024])
        {
            using RawClient client = await server.ConnectAsync();
            try
            {
                await client.SendAsync(new byte[bytes]);
            }
            catch (SocketException)
            {
                continue; // reset before all of it was sent
            }

            Assert.Equal(SocketError.ConnectionReset, (await client.ReadAllAsync()).End);
        }
    }

    // Kestrel does this when the peer has ended its side.
    [Fact]
    public async Task AbortWithoutAReason_IsReadAsAFin_BehindWhatWasFlushed()
    {
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            Assert.True((await connection.Transport.Input.ReadAsync()).IsCompleted);
            await connection.Transport.Output.WriteAsync("answer"u8.ToArray());
            connection.Abort(null!);
        });
        using RawClient client = await server.ConnectAsync();

        client.Finish();
        (byte[] bytes, SocketError end) = await client.ReadAllAsync();

        Assert.Equal(("answer", SocketError.Success), (Encoding.ASCII.GetString(bytes), end));
    }

    /// <summary>What is flushed while the sender sends what came before, and then nothing more.</summary>
    [Fact]
    public async Task AbortWithoutAReason_WhileTheSenderSends_LosesNothing()
    {
        const int Connections = 300, Flushes = 100;
        byte[] part = new byte[500];
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                for (int i = 0; i < Flushes; i++)
                {
                    await connection.Transport.Output.WriteAsync(part);
                }

                connection.Abort(null!);
                await WhenClosed(connection);
            },
            options => options.Requests = NativeTransportRequests.RuntimePool); // there a handler and its sender run at the same time

        for (int i = 0; i < Connections; i++)
        {
            using RawClient client = await server.ConnectAsync();
            (byte[] bytes, SocketError end) = await client.ReadAllAsync();
            Assert.Equal((part.Length * Flushes, SocketError.Success), (bytes.Length, end));
        }
    }

    [Fact]
    public async Task OutputThatEndsWithAnError_IsReadAsAReset()
    {
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            await connection.Transport.Input.ReadAsync(); // a reset that comes before the client knows that it is connected is thrown there
            await connection.Transport.Output.CompleteAsync(new InvalidOperationException("expected"));
            await WhenClosed(connection);
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");

        Assert.Equal(SocketError.ConnectionReset, (await client.ReadAllAsync()).End);
    }

    [Fact]
    public async Task PeersReset_IsThrownByReads_AndToldByTheToken()
    {
        var thrown = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            thrown.SetResult(await Assert.ThrowsAnyAsync<Exception>(() => connection.Transport.Input.ReadAsync().AsTask()));
            await WhenClosed(connection);
        });
        using RawClient client = await server.ConnectAsync();

        client.Reset();

        Assert.IsType<ConnectionResetException>(await Deadline.For(thrown.Task));
        server.Records.WaitFor(TransportRecords.Reset);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("requests")]
    public async Task PeersEnd_IsRead_BehindAllThatItSent_AndAnswersStillArrive(string? pool)
    {
        byte[] request = RandomNumberGenerator.GetBytes(200_000);
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                await WhenClosed(connection); // what was sent before is not lost with it
                ReadResult read;
                while (!(read = await connection.Transport.Input.ReadAsync()).IsCompleted)
                {
                    connection.Transport.Input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                }

                await connection.Transport.Output.WriteAsync(read.Buffer.ToArray());
            },
            options => options.PoolName = pool);
        using RawClient client = await server.ConnectAsync();

        await client.SendAsync(request);
        client.Finish();
        (byte[] bytes, SocketError end) = await client.ReadAllAsync();

        Assert.Equal(SocketError.Success, end);
        Assert.Equal(request, bytes);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("requests")]
    public async Task HandlerThatReadsAndWritesNothing_LearnsOfTheEnd_AndMayReturnAtOnce(string? pool)
    {
        int count = 0;
        await using NativeServer server = await NativeServer.HandleAsync(
            connection => Interlocked.Increment(ref count) == 1 ? WhenClosed(connection) : Task.CompletedTask, options => options.PoolName = pool);
        using RawClient first = await server.ConnectAsync();
        first.Finish();
        Assert.Equal(SocketError.Success, (await first.ReadAllAsync()).End);

        using RawClient second = await server.ConnectAsync();
        (byte[] bytes, SocketError end) = await second.ReadAllAsync();
        Assert.Equal((0, SocketError.Success), (bytes.Length, end));
    }

    [Fact]
    public async Task CancelledRead_ComesBackWithoutBytes_AndTheConnectionGoesOn()
    {
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            ValueTask<ReadResult> read = connection.Transport.Input.ReadAsync();
            connection.Transport.Input.CancelPendingRead();
            ReadResult cancelled = await read;
            connection.Transport.Input.AdvanceTo(cancelled.Buffer.Start);
            await connection.Transport.Output.WriteAsync(Encoding.ASCII.GetBytes($"{cancelled.IsCanceled}."));
            ReadResult next = await connection.Transport.Input.ReadAsync();
            await connection.Transport.Output.WriteAsync(next.Buffer.ToArray());
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("True.", await client.ReadThroughAsync("."));
        await client.SendAsync("next");
        Assert.Equal("next", await client.ReadThroughAsync("next"));
    }

    // A token of the connection may be waited for: its callbacks are the application's, and may throw.
    [Fact]
    public async Task CallbackOfTheTokenThatThrows_HarmsNobody()
    {
        await using NativeServer server = await NativeServer.HandleAsync(connection =>
        {
            connection.ConnectionClosed.Register(() => throw new InvalidOperationException("expected"));
            return WhenClosed(connection);
        });
        for (int i = 0; i < 3; i++)
        {
            using RawClient client = await server.ConnectAsync();
            client.Finish();
            Assert.Equal(SocketError.Success, (await client.ReadAllAsync()).End);
        }
    }

    private static Task WhenClosed(ConnectionContext connection)
    {
        var closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        connection.ConnectionClosed.Register(closed.SetResult);
        return closed.Task;
    }
}
