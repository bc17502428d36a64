using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>What a transport hands to Kestrel, seen by a connection handler: no HTTP between the test and it.</summary>
public abstract class ConnectionContract(Carrier carrier) : TransportContract(carrier)
{
    private const int Large = 1_000_000;

    [Fact]
    public async Task BytesOfAnySizes_ComeBackAsTheyWere()
    {
        TransportServer server = await ServeConnectionsAsync(EchoAsync);
        using RawClient client = await server.ConnectAsync();
        var random = new Random(1);
        for (int position = 0, i = 0; i < 100; i++)
        {
            int count = random.Next(1, i % 10 == 0 ? 200_000 : 5_000);
            await client.SendAsync(Pattern.Bytes(position, count));
            Assert.True(Pattern.IsAt(position, await client.ReadAsync(count)));
            position += count;
        }

        client.EndSending();
        Assert.Equal(RawClient.End.Orderly, await client.ReadEndAsync());
    }

    [Fact]
    public async Task ClientsEnd_IsReadBehindAllItSent_AndItStillGetsItsAnswer()
    {
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            long received = 0;
            ReadResult read;
            do
            {
                read = await connection.Transport.Input.ReadAsync();
                received += read.Buffer.Length;
                connection.Transport.Input.AdvanceTo(read.Buffer.End);
            }
            while (!read.IsCompleted);

            await Deadline.For(Cancelled(connection.ConnectionClosed));
            await connection.Transport.Output.WriteAsync(Pattern.Bytes(received, Large));
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(new byte[Large]);
        client.EndSending();

        byte[] answer = await client.ReadToEndAsync();

        Assert.Equal(Large, answer.Length);
        Assert.True(Pattern.IsAt(Large, answer));
    }

    [Fact]
    public async Task ClientsReset_IsThrownByTheRead_AndTheConnectionIsClosed()
    {
        TaskCompletionSource started = NewGate();
        TaskCompletionSource<Exception?> seen = NewGate<Exception?>();
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            Task closed = Cancelled(connection.ConnectionClosed);
            Assert.Equal(connection.ConnectionClosed, connection.Features.Get<IConnectionLifetimeFeature>()!.ConnectionClosed);
            Task<ReadResult> read = connection.Transport.Input.ReadAsync().AsTask();
            started.SetResult();
            Exception? exception = await Record.ExceptionAsync(() => read);
            await Deadline.For(closed);
            seen.SetResult(exception);
        });
        using RawClient client = await server.ConnectAsync();
        await Deadline.For(started.Task);

        client.Reset();

        Assert.IsType<ConnectionResetException>(await Deadline.For(seen.Task));
    }

    [Fact]
    public async Task HandlersEnd_TheClientGetsEverything_AndThenAnEnd()
    {
        TransportServer server = await ServeConnectionsAsync(async connection => await connection.Transport.Output.WriteAsync(Pattern.Bytes(0, Large)));
        for (int round = 0; round < 10; round++)
        {
            using RawClient client = await server.ConnectAsync();
            byte[] received = await client.ReadToEndAsync();
            Assert.Equal(Large, received.Length);
            Assert.True(Pattern.IsAt(0, received));
        }
    }

    [Fact]
    public async Task CompletedOutput_EndsTheConnection_BeforeTheHandlerReturns()
    {
        TaskCompletionSource ended = NewGate();
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            await connection.Transport.Output.WriteAsync(Pattern.Bytes(0, Large));
            await connection.Transport.Output.CompleteAsync();
            await Deadline.For(ended.Task);
            await Deadline.For(Cancelled(connection.ConnectionClosed));
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(Large, (await client.ReadToEndAsync()).Length);
        ended.SetResult();
    }

    [Fact]
    public async Task Abort_IsAResetForTheClient_AndEndsReadsAndFlushesThatWait()
    {
        TaskCompletionSource abort = NewGate();
        TaskCompletionSource<(Exception? Read, bool IsCompleted)> seen = NewGate<(Exception?, bool)>();
        var written = new Progress();
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            Task<ReadResult> read = connection.Transport.Input.ReadAsync().AsTask();
            Task<bool> writes = WriteAsync(connection.Transport.Output);
            await Deadline.For(abort.Task);
            connection.Abort(new ConnectionAbortedException("by the test"));
            seen.SetResult((await Record.ExceptionAsync(() => Deadline.For(read)), await Deadline.For(writes)));
        });
        using RawClient client = await server.ConnectAsync();
        await written.StandstillAsync();

        abort.SetResult();

        (Exception? exception, bool isCompleted) = await Deadline.For(seen.Task);
        Assert.IsType<ConnectionAbortedException>(exception);
        Assert.Equal("by the test", exception.Message);
        Assert.True(isCompleted);
        Assert.Equal(RawClient.End.Reset, await client.ReadEndAsync());

        async Task<bool> WriteAsync(PipeWriter output)
        {
            FlushResult flushed;
            do
            {
                flushed = await output.WriteAsync(new byte[50_000]);
                written.Add(50_000);
            }
            while (!flushed.IsCompleted);

            return true;
        }
    }

    [Fact]
    public async Task PendingRead_CanBeCancelled_AndTheConnectionGoesOn()
    {
        TaskCompletionSource<bool> ended = NewGate<bool>(); // before the client sends anything: else the read might end with that
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            PipeReader input = connection.Transport.Input;
            Task<ReadResult> pending = input.ReadAsync().AsTask();
            input.CancelPendingRead();
            ReadResult cancelled = await Deadline.For(pending);
            input.AdvanceTo(cancelled.Buffer.Start);
            ended.SetResult(cancelled.IsCanceled);
            await EchoAsync(connection);
        });
        using RawClient client = await server.ConnectAsync();
        Assert.True(await Deadline.For(ended.Task));
        await client.SendAsync("still here");
        Assert.Equal("still here"u8.ToArray(), await client.ReadAsync(10));
    }

    [Fact]
    public async Task Handler_ThatThrows_LosesItsConnection_AndNoOther()
    {
        bool throws = true;
        TransportServer server = await ServeConnectionsAsync(
            connection => Volatile.Read(ref throws) ? throw new InvalidOperationException("thrown by the test") : EchoAsync(connection),
            logsErrors: true);
        using RawClient lost = await server.ConnectAsync();
        await lost.ReadEndAsync();
        Volatile.Write(ref throws, false);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");
        Assert.Equal("x"u8.ToArray(), await client.ReadAsync(1));
    }

    [Fact]
    public async Task EachConnection_HasItsNameItsEndsItsItemsAndItsMemory()
    {
        var seen = new TaskCompletionSource<(string Id, EndPoint? Local, EndPoint? Remote, EndPoint? SocketsLocal, EndPoint? SocketsRemote)>[2];
        int next = -1;
        TransportServer server = await ServeConnectionsAsync(async connection =>
        {
            var socket = connection.Features.Get<IConnectionSocketFeature>()!.Socket;
            connection.Items["key"] = "value";
            Assert.Equal("value", connection.Features.Get<IConnectionItemsFeature>()!.Items["key"]);
            using (IMemoryOwner<byte> memory = connection.Features.Get<IMemoryPoolFeature>()!.MemoryPool.Rent(100))
            {
                Assert.InRange(memory.Memory.Length, 100, int.MaxValue);
            }

            seen[Interlocked.Increment(ref next)].SetResult(
                (connection.ConnectionId, connection.LocalEndPoint, connection.RemoteEndPoint, socket.LocalEndPoint, socket.RemoteEndPoint));
            await EchoAsync(connection);
        });
        var ids = new HashSet<string>();
        for (int i = 0; i < seen.Length; i++)
        {
            seen[i] = NewGate<(string, EndPoint?, EndPoint?, EndPoint?, EndPoint?)>();
            using RawClient client = await server.ConnectAsync();
            (EndPoint? local, EndPoint? remote) = (client.Socket.LocalEndPoint, client.Socket.RemoteEndPoint);
            var connection = await Deadline.For(seen[i].Task);
            Assert.Equal((remote, local), (connection.Local, connection.Remote));
            Assert.Equal((remote, local), (connection.SocketsLocal, connection.SocketsRemote));
            Assert.True(ids.Add(connection.Id));
        }
    }

    [Fact]
    public async Task Features_AreReplaced_TakenAway_AndListed()
    {
        TaskCompletionSource<Exception?> seen = NewGate<Exception?>();
        TransportServer server = await ServeConnectionsAsync(connection =>
        {
            seen.SetResult(Record.Exception(() => UseFeatures(connection.Features)));
            return Task.CompletedTask;
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Null(await Deadline.For(seen.Task));
        await client.ReadEndAsync();
    }

    private static void UseFeatures(IFeatureCollection features)
    {
        IConnectionIdFeature own = features.Get<IConnectionIdFeature>()!;
        var other = new OtherId();
        AssertIs<IConnectionIdFeature>(features, own);
        features.Set<IConnectionIdFeature>(other);
        AssertIs<IConnectionIdFeature>(features, other);
        features.Set<IConnectionIdFeature>(null);
        AssertIs<IConnectionIdFeature>(features, null);
        features.Set(own);
        AssertIs(features, own);

        Type[] many = [.. typeof(string).Assembly.GetExportedTypes().Take(20)];
        AssertIs<OtherId>(features, null);
        foreach (Type key in many)
        {
            int revision = features.Revision;
            features[key] = key;
            Assert.NotEqual(revision, features.Revision);
        }

        features[many[0]] = null;
        features[many[1]] = other;
        Assert.Equal([null, other, .. many[2..]], many.Select(key => features[key]));
        Assert.Equal(many[1..], features.Select(static pair => pair.Key).Where(many.Contains));
    }

    private static void AssertIs<T>(IFeatureCollection features, T? feature)
        where T : class
    {
        Assert.Same(feature, features.Get<T>());
        Assert.Equal(feature is null ? [] : [feature], features.Where(static pair => pair.Key == typeof(T)).Select(static pair => pair.Value));
    }

    private sealed class OtherId : IConnectionIdFeature
    {
        public string ConnectionId { get; set; } = "another";
    }

    private static async Task EchoAsync(ConnectionContext connection)
    {
        while (true)
        {
            ReadResult read = await connection.Transport.Input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                await connection.Transport.Output.WriteAsync(segment);
            }

            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return;
            }
        }
    }
}

public sealed class ConnectionsOnSockets() : ConnectionContract(Carrier.Sockets);

public sealed class ConnectionsOnLoops() : ConnectionContract(Carrier.Loops);

public sealed class ConnectionsOnLoopsAndPool() : ConnectionContract(Carrier.LoopsAndPool);

public sealed class ConnectionsOnLoopsAlone() : ConnectionContract(Carrier.LoopsAlone);

public sealed class ConnectionsOnAdaptive() : ConnectionContract(Carrier.Adaptive);
