using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>The beginning of a connection.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class OpeningTests
{
    /// <summary>
    /// A thread whose loop is taken over while it opens a connection registers as one outside the loop does: the loop may call the handler
    /// before that thread knows of the registration.
    /// </summary>
    [Fact]
    public async Task OpenedByAThreadThatIsNotTheLoopsAnyMore_ReadsWhatIsThere()
    {
        const int Connections = 200;
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        await using LoopTransport transport = await CreateAsync(services, new NativeTransportOptions { Requests = NativeTransportRequests.Loops });
        using Socket listener = Listen();

        for (int i = 0; i < Connections; i++)
        {
            using RawClient client = await RawClient.ConnectAsync(listener.LocalEndPoint!);
            await using LoopConnection connection = await AcceptAsync(transport, listener, client, "hello");

            await Deadline.For(Task.Run(connection.Open));

            ReadResult read = await Deadline.For(connection.Transport.Input.ReadAtLeastAsync(5).AsTask());
            Assert.Equal("hello", Encoding.ASCII.GetString(read.Buffer));
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            connection.Abort();
        }
    }

    [Fact]
    public async Task FirstRead_ContinuesOnThePool_EvenIfItsResultIsThere_AndLaterReadsStayThere()
    {
        const string Name = "entered";
        await using ServiceProvider services = new ServiceCollection().AddNativeThreadPool(Name, options => options.MaxThreads = 1).Services.BuildServiceProvider();
        await using LoopTransport transport = await CreateAsync(services, new NativeTransportOptions { Requests = NativeTransportRequests.Pool, PoolName = Name });
        using Socket listener = Listen();
        using RawClient client = await RawClient.ConnectAsync(listener.LocalEndPoint!);
        await using LoopConnection connection = await AcceptAsync(transport, listener, client, "received");
        await Deadline.For(Task.Run(connection.Open));
        PipeReader reader = connection.Transport.Input;
        Deadline.Until(() => transport.Memory.RentedCount == 1, "the bytes are in the pipe");

        Assert.False(reader.TryRead(out _)); // otherwise the caller would continue here
        string[] places = await Deadline.For(Task.Run(async () =>
        {
            ReadResult first = await reader.ReadAsync();
            string here = Support.Where.AmI;
            reader.AdvanceTo(first.Buffer.Start);
            ReadResult second = await reader.ReadAtLeastAsync(8);
            string there = Support.Where.AmI;
            reader.AdvanceTo(second.Buffer.End);
            return new[] { here, there, $"{first.Buffer.Length} {second.Buffer.Length}" };
        }));

        Assert.Equal([Name, Name, "8 8"], places);
        connection.Abort();
    }

    [Fact]
    public async Task FirstRead_ThrowsTheReasonOfTheEnd_AndMayBeATask()
    {
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        await using LoopTransport transport = await CreateAsync(services, new NativeTransportOptions { Requests = NativeTransportRequests.Loops });
        using Socket listener = Listen();
        using RawClient client = await RawClient.ConnectAsync(listener.LocalEndPoint!);
        await using LoopConnection connection = await AcceptAsync(transport, listener, client, "x");
        await Deadline.For(Task.Run(connection.Open));

        connection.Abort(new ConnectionAbortedException("expected"));

        Exception thrown = await Assert.ThrowsAsync<ConnectionAbortedException>(() => Deadline.For(ReadToTheEndAsync(connection.Transport.Input)));
        Assert.Equal("expected", thrown.Message);
    }

    private static async Task ReadToTheEndAsync(PipeReader reader)
    {
        while (await reader.ReadAsync().AsTask() is { IsCompleted: false } read)
        {
            reader.AdvanceTo(read.Buffer.End);
        }
    }

    private static async Task<LoopTransport> CreateAsync(IServiceProvider services, NativeTransportOptions options) =>
        (await Deadline.For(LoopTransport.CreateAsync(services, options, NullLogger.Instance)))!;

    private static Socket Listen()
    {
        var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        return listener;
    }

    /// <summary>A connection that is not opened yet, and has received the text.</summary>
    private static async Task<LoopConnection> AcceptAsync(LoopTransport transport, Socket listener, RawClient client, string text)
    {
        Socket accepted = await Deadline.For(listener.AcceptAsync());
        await client.SendAsync(text);
        Deadline.Until(() => accepted.Available == text.Length);
        accepted.Blocking = false;
        return new LoopConnection(transport, transport.NextLoop(), accepted, accepted.LocalEndPoint, accepted.RemoteEndPoint);
    }
}
