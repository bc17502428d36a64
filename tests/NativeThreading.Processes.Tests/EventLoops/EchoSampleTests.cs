using System.Net.Sockets;
using System.Text.Json;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.EventLoops;

/// <summary>The sample is an echo server: in a process of its own, as its users run it, on one loop, on two, and on the
/// runtime's sockets with which it is compared.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class EchoSampleTests
{
    private const int MessagesEach = 200;

    [Theory]
    [InlineData("--loops 1")]
    [InlineData("--loops 2")]
    [InlineData("--socket")]
    public async Task Echo_EightConnections_AmongThemAHalfCloseAndAnAbort_AllGetTheirBytes(string arguments)
    {
        using var server = new EchoProcess(arguments.Split(' '));
        using Socket open = server.Connect();

        Task<long>[] talks = [.. Enumerable.Range(0, 5).Select(i => Start(() => Talk(server, seed: i)))];
        Task<long> halfClosed = Start(() => HalfClose(server));
        Task<long> aborted = Start(() => Abort(server));
        long bytes = Exchange(open, seed: 99);
        foreach (Task<long> connection in (Task<long>[])[.. talks, halfClosed, aborted])
        {
            bytes += await Deadline.For(connection);
        }

        server.EndInput();
        JsonElement report = await server.ReportAsync();

        Assert.Equal(8, report.GetProperty("connections").GetInt64());
        // The last message of the aborted connection may have been read, or thrown away with it.
        Assert.InRange(report.GetProperty("bytes").GetInt64(), bytes, bytes + AbortedMessage);

        // The connection that was left open gets an error, as after no ordinary end.
        SocketException reset = Assert.Throws<SocketException>(() => open.Receive(new byte[1]));
        Assert.Equal(SocketError.ConnectionReset, reset.SocketErrorCode);
    }

    [Theory]
    [InlineData("--loops 1")]
    [InlineData("--loops 2")]
    [InlineData("--socket")]
    public async Task Echo_PeerThatDoesNotRead_IsNotReadFromEither(string arguments)
    {
        using var server = new EchoProcess(arguments.Split(' '));
        using Socket socket = server.Connect(SmallBuffer);

        long sent = SendUntilStuck(socket);
        Assert.InRange(sent, 1, MostInFlight - 1);

        await Deadline.For(Start(() => ReceiveExactly(socket, sent)));
        Assert.Equal(1000, Exchange(socket, seed: 0, messages: 1, size: 1000, from: sent));
        server.EndInput();
        Assert.Equal(sent + 1000, (await server.ReportAsync()).GetProperty("bytes").GetInt64());
    }

    [Fact]
    public async Task Echo_Terminated_ReportsAndEndsWell()
    {
        using var server = new EchoProcess();
        using Socket socket = server.Connect();
        long bytes = Exchange(socket, seed: 1);

        await server.SendTerminateAsync();
        JsonElement report = await server.ReportAsync();

        Assert.Equal(bytes, report.GetProperty("bytes").GetInt64());
        Assert.Equal(MessagesEach, report.GetProperty("messages").GetInt64());
    }

    [Fact]
    public async Task Echo_OnALoop_AllocatesNothingForAMessage()
    {
        using var server = new EchoProcess();
        using Socket socket = server.Connect();
        const int Messages = 20_000;
        Exchange(socket, seed: 1, Messages);

        server.EndInput();
        JsonElement report = await server.ReportAsync();

        // The buffer that all connections share and what its pool needs; the smallest object a message would be 480,000.
        Assert.Equal(Messages, report.GetProperty("messages").GetInt64());
        Assert.InRange(report.GetProperty("allocated").GetInt64(), 0, 100_000);
    }

    private const int AbortedMessage = 1000;
    private const int SmallBuffer = 8192;

    /// <summary>Far more than the kernel buffers on the way there and back; reached only if the server buffers without end.</summary>
    private const long MostInFlight = 200L << 20;

    private static Task<long> Start(Func<long> body) => Task.Factory.StartNew(body, TaskCreationOptions.LongRunning);

    private static long Talk(EchoProcess server, int seed)
    {
        using Socket socket = server.Connect();
        long bytes = Exchange(socket, seed);
        socket.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, socket.Receive(new byte[1]));
        return bytes;
    }

    /// <summary>The peer ends its half while most of the answer is on its way: all of it arrives, and then an end, not a reset.</summary>
    private static long HalfClose(EchoProcess server)
    {
        using Socket socket = server.Connect(SmallBuffer);
        long sent = SendUntilStuck(socket);
        Task<long> received = Start(() => ReceiveExactly(socket, sent + SmallBuffer));
        SendAll(socket, Pattern(sent, SmallBuffer));
        socket.Shutdown(SocketShutdown.Send);
        Deadline.Wait(received);
        Assert.Equal(0, socket.Receive(new byte[1]));
        return sent + SmallBuffer;
    }

    private static long Abort(EchoProcess server)
    {
        using Socket socket = server.Connect();
        long bytes = Exchange(socket, seed: 7);
        SendAll(socket, new byte[AbortedMessage]);
        socket.Close(0);
        return bytes;
    }

    /// <summary>Sends and receives in turn, sizes and contents differing from message to message and peer to peer.</summary>
    private static long Exchange(Socket socket, int seed, int messages = MessagesEach, int size = 0, long from = 0)
    {
        long bytes = 0;
        for (int i = 0; i < messages; i++)
        {
            int length = size > 0 ? size : 1 + ((i * 37) % 2000);
            SendAll(socket, Pattern(from + bytes + seed, length));
            ReceiveExactly(socket, length, from + bytes + seed);
            bytes += length;
        }

        return bytes;
    }

    /// <summary>Sends the pattern until the socket has taken nothing for a while. Too short a while only makes it less.</summary>
    private static long SendUntilStuck(Socket socket)
    {
        socket.Blocking = false;
        long sent = 0;
        while (sent < MostInFlight && socket.Poll(TimeSpan.FromMilliseconds(300), SelectMode.SelectWrite))
        {
            sent += socket.Send(Pattern(sent, SmallBuffer));
        }

        socket.Blocking = true;
        return sent;
    }

    private static void SendAll(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += socket.Send(bytes.AsSpan(sent));
        }
    }

    private static long ReceiveExactly(Socket socket, long count, long from = 0)
    {
        byte[] buffer = new byte[65536];
        for (long received = 0; received < count;)
        {
            int length = socket.Receive(buffer.AsSpan(0, (int)Math.Min(buffer.Length, count - received)));
            Assert.True(length > 0, $"the connection ended after {received} of {count} bytes");
            Assert.True(buffer.AsSpan(0, length).SequenceEqual(Pattern(from + received, length)), $"other bytes after {received} of {count}");
            received += length;
        }

        return count;
    }

    /// <summary>Bytes of an endless sequence that does not repeat within a buffer.</summary>
    private static byte[] Pattern(long at, int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)((at + i) ^ ((at + i) >> 8) ^ ((at + i) >> 16));
        }

        return bytes;
    }
}
