using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Text;
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
        await using var loop = new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true });
        var scheduler = new LoopScheduler(loop, handsOver: true);
        var context = new Kestrel.Transport.TransportContext(
            new NativeTransportOptions { Requests = NativeTransportRequests.Loops }, pool: null, NullLogger.Instance);
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();

        for (int i = 0; i < Connections; i++)
        {
            using RawClient client = await RawClient.ConnectAsync(listener.LocalEndPoint!);
            Socket accepted = await Deadline.For(listener.AcceptAsync());
            await client.SendAsync("hello");
            Deadline.Until(() => accepted.Available == 5);
            accepted.Blocking = false;
            var connection = new LoopConnection(context, scheduler, accepted, accepted.LocalEndPoint, accepted.RemoteEndPoint);

            await Deadline.For(Task.Run(connection.Open));

            ReadResult read = await Deadline.For(connection.Transport.Input.ReadAtLeastAsync(5).AsTask());
            Assert.Equal("hello", Encoding.ASCII.GetString(read.Buffer));
            connection.Transport.Input.AdvanceTo(read.Buffer.End);
            connection.Abort();
            await Deadline.For(connection.DisposeAsync().AsTask());
        }
    }
}
