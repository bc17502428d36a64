using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Listeners as Kestrel uses them: bind, accept, unbind, dispose.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class ListenerTests : IAsyncDisposable
{
    private readonly TransportUnderTest _transport = new();

    public ValueTask DisposeAsync() => _transport.DisposeAsync();

    [Fact]
    public async Task Unbind_EndsAccepting_AlsoForThoseWhoWait_AndFreesTheAddress()
    {
        IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        Task<ConnectionContext?> accepting = listener.AcceptAsync().AsTask();
        Assert.False(accepting.IsCompleted);

        await Deadline.For(listener.UnbindAsync().AsTask());

        Assert.Null(await Deadline.For(accepting));
        Assert.Null(await Deadline.For(listener.AcceptAsync().AsTask()));
        await Deadline.For(listener.UnbindAsync().AsTask()); // once is enough
        await using IConnectionListener next = await _transport.BindAsync(listener.EndPoint);
        await Deadline.For(listener.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task Unbind_AcceptsWhatTheSystemHolds()
    {
        const int Clients = 200; // more than a loop accepts in a turn
        IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        var clients = new List<RawClient>();
        for (int i = 0; i < Clients; i++)
        {
            clients.Add(await RawClient.ConnectAsync(listener.EndPoint));
        }

        await Deadline.For(listener.UnbindAsync().AsTask());

        for (int i = 0; i < Clients; i++)
        {
            ConnectionContext? accepted = await Deadline.For(listener.AcceptAsync().AsTask());
            await Deadline.For(accepted!.DisposeAsync().AsTask());
        }

        Assert.Null(await Deadline.For(listener.AcceptAsync().AsTask()));
        clients.ForEach(static client => client.Dispose());
        await listener.DisposeAsync();
    }

    [Fact]
    public async Task Dispose_LeavesTakenConnectionsOpen_AndResetsThoseThatNobodyTook()
    {
        IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using RawClient taken = await RawClient.ConnectAsync(listener.EndPoint);
        ConnectionContext connection = (await Deadline.For(listener.AcceptAsync().AsTask()))!;
        using RawClient untaken = await RawClient.ConnectAsync(listener.EndPoint);

        await Deadline.For(listener.DisposeAsync().AsTask());

        Assert.Equal(SocketError.ConnectionReset, (await untaken.ReadAllAsync()).End);
        await taken.SendAsync("still here");
        ReadResult read = await Deadline.For(connection.Transport.Input.ReadAtLeastAsync(10).AsTask());
        await connection.Transport.Output.WriteAsync(read.Buffer.First);
        await Deadline.For(connection.DisposeAsync().AsTask());
        Assert.Equal("still here", Encoding.ASCII.GetString((await taken.ReadAllAsync()).Bytes));
    }

    [Fact]
    public async Task AcceptThatIsCancelled_Throws_AndLosesNoConnection()
    {
        await using IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using var cancellation = new CancellationTokenSource();
        Task<ConnectionContext?> accepting = listener.AcceptAsync(cancellation.Token).AsTask();
        cancellation.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(accepting));

        using RawClient client = await RawClient.ConnectAsync(listener.EndPoint);
        ConnectionContext? connection = await Deadline.For(listener.AcceptAsync().AsTask());
        Assert.NotNull(connection);
        await Deadline.For(connection.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task AddressThatIsTaken_IsSaid()
    {
        await using IConnectionListener first = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));

        await Assert.ThrowsAsync<AddressInUseException>(() => _transport.BindAsync(first.EndPoint));
    }

    [Fact]
    public async Task AddressOfAnotherMachine_IsRefusedByTheSystem() => Assert.Equal(
        SocketError.AddressNotAvailable,
        (await Assert.ThrowsAsync<SocketException>(() => _transport.BindAsync(new IPEndPoint(IPAddress.Parse("192.0.2.1"), 0)))).SocketErrorCode);

    [Fact]
    public async Task UnixDomainSocket_Carries_AndItsFileGoesWithTheListener()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var endpoint = new UnixDomainSocketEndPoint(path);
        await using (IConnectionListener listener = await _transport.BindAsync(endpoint))
        {
            using RawClient client = await RawClient.ConnectAsync(endpoint);
            await EchoOnceAsync(listener, client);
        }

        Assert.False(File.Exists(path));
    }

    [Fact]
    public async Task AnyAddressOfV6_IsReachedByBothVersions()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "This machine has no IPv6.");
        await using IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.IPv6Any, 0));
        int port = ((IPEndPoint)listener.EndPoint).Port;
        foreach (IPAddress address in (IPAddress[])[IPAddress.Loopback, IPAddress.IPv6Loopback])
        {
            using RawClient client = await RawClient.ConnectAsync(new IPEndPoint(address, port));
            ConnectionContext connection = await EchoOnceAsync(listener, client);
            var (local, remote) = ((IPEndPoint)connection.LocalEndPoint!, (IPEndPoint)connection.RemoteEndPoint!);
            Assert.Equal((address.MapToIPv6(), port), (local.Address.MapToIPv6(), local.Port));
            Assert.Equal(((IPEndPoint)client.Socket.LocalEndPoint!).Port, remote.Port);
        }
    }

    [Fact]
    public async Task Socket_IsGivenOnDemand_AndSmallWritesLeaveAtOnce()
    {
        await using IConnectionListener listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using RawClient client = await RawClient.ConnectAsync(listener.EndPoint);
        ConnectionContext connection = (await Deadline.For(listener.AcceptAsync().AsTask()))!;

        Socket socket = connection.Features.Get<IConnectionSocketFeature>()!.Socket;
        Assert.Equal(client.Socket.LocalEndPoint, socket.RemoteEndPoint);
        Assert.True(socket.NoDelay);
        await Deadline.For(connection.DisposeAsync().AsTask());
    }

    [Fact]
    public void T104_OnlySocketsAreTaken() => Assert.Equal(
        [true, true, true, false],
        ((EndPoint[])[new IPEndPoint(IPAddress.Any, 0), new UnixDomainSocketEndPoint("x"), new FileHandleEndPoint(0, FileHandleType.Tcp), new NamedPipeEndPoint("x")])
            .Select(_transport.Factory.CanBind));

    /// <summary>Takes the connection of the client, and answers once.</summary>
    private static async Task<ConnectionContext> EchoOnceAsync(IConnectionListener listener, RawClient client)
    {
        ConnectionContext connection = (await Deadline.For(listener.AcceptAsync().AsTask()))!;
        await client.SendAsync("echo");
        ReadResult read = await Deadline.For(connection.Transport.Input.ReadAtLeastAsync(4).AsTask());
        await connection.Transport.Output.WriteAsync(read.Buffer.First);
        Assert.Equal("echo", await client.ReadThroughAsync("echo"));
        await Deadline.For(connection.DisposeAsync().AsTask());
        return connection;
    }
}
