using System.IO.Pipelines;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>The server sends nothing to a client that does not read, and reads nothing for an application that does not consume.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class BackPressureTests
{
    private const int Much = 24 * 1024 * 1024; // more than the system holds for a connection

    /// <param name="isTakenOver">Whether another thread takes the loop over in the middle of the turn that continues to read.</param>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task HandlerThatDoesNotConsume_IsNotReadFor_AndLosesNothing(bool isTakenOver)
    {
        var consume = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var consumed = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                await consume.Task;
                consumed.SetResult(await ConsumeAsync(connection.Transport.Input));
            },
            options => (options.MaxReadBufferSize, options.Requests) =
                (64 * 1024, isTakenOver ? NativeTransportRequests.Loops : NativeTransportRequests.RuntimePool));
        if (isTakenOver)
        {
            server.Records.Logged = LeaveTheLoop;
        }

        using RawClient client = await server.ConnectAsync();

        Task sending = client.SendAsync(new byte[Much]);
        server.Records.WaitFor(TransportRecords.Paused);
        Assert.False(sending.IsCompleted);
        consume.SetResult();
        await Deadline.For(sending);
        client.Finish();

        Assert.Equal(Much, await Deadline.For(consumed.Task));
        Assert.True(server.Records.Count(TransportRecords.Resumed) > 0);

        static void LeaveTheLoop(int message)
        {
            if (message == TransportRecords.Resumed && EventLoop.Current is { } loop)
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    Deadline.Until(() => !loop.IsInLoop);
                }
            }
        }
    }

    [Fact]
    public async Task PeerThatDoesNotRead_HoldsUpFlushes_AndLosesNothing()
    {
        var waits = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(async connection =>
        {
            byte[] piece = new byte[64 * 1024];
            for (int sent = 0; sent < Much; sent += piece.Length)
            {
                ValueTask<FlushResult> flush = connection.Transport.Output.WriteAsync(piece);
                if (!flush.IsCompleted)
                {
                    waits.TrySetResult();
                }

                Assert.False((await flush).IsCompleted);
            }
        });
        using RawClient client = await server.ConnectAsync();

        await Deadline.For(waits.Task, "a flush waits");
        (byte[] bytes, SocketError end) = await client.ReadAllAsync();

        Assert.Equal((Much, SocketError.Success), (bytes.Length, end));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(0L)]
    public async Task WithoutALimit_NobodyWaits(long? limit)
    {
        var flushed = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(
            connection =>
            {
                ValueTask<FlushResult> flush = connection.Transport.Output.WriteAsync(new byte[Much]);
                flushed.SetResult(flush.IsCompleted);
                return flush.AsTask();
            },
            options => options.MaxWriteBufferSize = options.MaxReadBufferSize = limit);
        using RawClient client = await server.ConnectAsync();

        Assert.True(await Deadline.For(flushed.Task));
        Assert.Equal(Much, (await client.ReadAllAsync()).Bytes.Length);
    }

    // Both chains stand still then: one waits for the application, the other for an edge that will not come.
    [Fact]
    public async Task AbortWhileBothDirectionsStandStill_EndsTheConnection()
    {
        var waits = new TaskCompletionSource<ConnectionContext>(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                ValueTask<FlushResult> flush = connection.Transport.Output.WriteAsync(new byte[Much]);
                waits.SetResult(connection);
                ended.SetResult((await flush).IsCompleted);
            },
            options => options.MaxReadBufferSize = 64 * 1024);
        using RawClient client = await server.ConnectAsync();

        Task sending = client.SendAsync(new byte[Much]);
        ConnectionContext connection = await Deadline.For(waits.Task);
        server.Records.WaitFor(TransportRecords.Paused);
        Deadline.Until(() => connection.ToString()!.EndsWith("input full, output full", StringComparison.Ordinal));
        connection.Abort();

        Assert.True(await Deadline.For(ended.Task));
        await Assert.ThrowsAsync<SocketException>(() => Deadline.For(sending));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task InputThatTheHandlerCompletesWhileItIsFull_EndsReading(bool withAnError)
    {
        var complete = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using NativeServer server = await NativeServer.HandleAsync(
            async connection =>
            {
                connection.ConnectionClosed.Register(closed.SetResult);
                await complete.Task;
                await connection.Transport.Input.CompleteAsync(withAnError ? new InvalidOperationException("expected") : null);
                await closed.Task;
            },
            options => options.MaxReadBufferSize = 64 * 1024);
        using RawClient client = await server.ConnectAsync();

        Task sending = client.SendAsync(new byte[Much]);
        server.Records.WaitFor(TransportRecords.Paused);
        complete.SetResult();

        await Deadline.For(closed.Task);
        await Assert.ThrowsAsync<SocketException>(() => Deadline.For(sending)); // its bytes were left unread
        Assert.Equal(0, server.Records.Count(TransportRecords.CallbackFailed));
    }

    private static async Task<long> ConsumeAsync(PipeReader input)
    {
        long all = 0;
        while (true)
        {
            ReadResult read = await input.ReadAsync();
            all += read.Buffer.Length;
            input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return all;
            }
        }
    }
}
