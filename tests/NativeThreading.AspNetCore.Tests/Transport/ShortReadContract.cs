using System.Net.Sockets;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>
/// A read that stops before the end of the received bytes: at the urgent byte of TCP, and after a descriptor that was passed over a Unix socket.
/// The server is made to read when all bytes have arrived, so that no later event tells it of the rest.
/// </summary>
public abstract class ShortReadContract(Carrier carrier) : TransportContract(carrier)
{
    private const int Ahead = (1024 + 16) * 1024; // more than the transport buffers for the application, and no more than a Unix socket takes besides
    private const int Few = 10;                   // in one block, most likely: the read that gets all of them stops behind them
    private const int Part = 10_001;              // not a multiple of a block, so the read that stops at the boundary is a short one

    [Fact]
    public async Task BytesAfterAnUrgentByte_AreReadAtOnce()
    {
        var upload = new Upload();
        TransportServer server = await ServeAsync(upload.CountAsync);
        using var client = new RawClient(RawClient.Create(server.EndPoint));
        RawSocket.LimitSegments(client.Socket); // of loopback they have 64 KB, and the server's system takes none before there is room for one
        await Deadline.For(client.Socket.ConnectAsync(server.EndPoint));
        await client.SendAsync(Upload.Head);
        await client.SendAsync(Pattern.Bytes(0, Ahead + Part));
        Assert.Equal(1, client.Socket.Send("!"u8, SocketFlags.OutOfBand));
        await client.SendAsync(Pattern.Bytes(Ahead + Part, Part));
        Deadline.Until(() => RawSocket.Unacknowledged(client.Socket) == 0, "the server's system has all bytes");

        upload.Begin();
        Assert.Equal(Upload.Answer, (await client.ReadResponseAsync()).Text);
    }

    [Fact]
    public async Task BytesAfterADescriptor_AreReadAtOnce()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "It passes a descriptor as Linux does.");
        var upload = new Upload();
        string path = Path.Combine(Path.GetTempPath(), $"contract-{Guid.NewGuid():N}.sock");
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => Microsoft.AspNetCore.Builder.RunExtensions.Run(app, upload.CountAsync),
            Bind = (kestrel, listen) => kestrel.ListenUnixSocket(path, listen),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(Upload.Head);
        await client.SendAsync(Pattern.Bytes(0, Ahead));
        RawSocket.SendWithDescriptor(client.Socket, Pattern.Bytes(Ahead, Few), client.Socket.SafeHandle);
        await client.SendAsync(Pattern.Bytes(Ahead + Few, (2 * Part) - Few));

        upload.Begin();
        Assert.Equal(Upload.Answer, (await client.ReadResponseAsync()).Text);
    }

    /// <summary>A request whose handler reads nothing before the test says so, and then everything.</summary>
    private sealed class Upload
    {
        private const int Length = Ahead + (2 * Part);

        private readonly TaskCompletionSource _begin = NewGate();

        public static string Head { get; } = $"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {Length}\r\n\r\n";

        public static string Answer { get; } = $"{Length} bytes, unchanged: True";

        public void Begin() => _begin.SetResult();

        public async Task CountAsync(HttpContext context)
        {
            await _begin.Task;
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            await context.Response.WriteAsync($"{body.Length} bytes, unchanged: {Pattern.IsAt(0, body.ToArray())}");
        }
    }
}

public sealed class ShortReadsOnSockets() : ShortReadContract(Carrier.Sockets);

public sealed class ShortReadsOnLoops() : ShortReadContract(Carrier.Loops);

public sealed class ShortReadsOnLoopsAndPool() : ShortReadContract(Carrier.LoopsAndPool);

public sealed class ShortReadsOnLoopsAlone() : ShortReadContract(Carrier.LoopsAlone);

public sealed class ShortReadsOnAdaptive() : ShortReadContract(Carrier.Adaptive);
