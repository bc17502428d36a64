using System.Net;
using System.Net.Sockets;
using System.Text;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>A connection of the test's, byte by byte.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];

    private RawClient(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    public static async Task<RawClient> ConnectAsync(EndPoint server)
    {
        var socket = new Socket(
            server.AddressFamily, SocketType.Stream, server is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
        await Deadline.For(socket.ConnectAsync(server), "connect");
        return new RawClient(socket);
    }

    /// <summary>One that a test has connected by itself.</summary>
    public static RawClient Of(Socket socket) => new(socket);

    public Task SendAsync(string text) => SendAsync(Encoding.ASCII.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += await Deadline.For(Socket.SendAsync(bytes[sent..], SocketFlags.None).AsTask(), "send");
        }
    }

    /// <summary>The client writes no more.</summary>
    public void Finish() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>The server reads a reset.</summary>
    public void Reset() => Socket.Close(0);

    /// <returns>0 at the end.</returns>
    /// <exception cref="SocketException">The server has reset the connection.</exception>
    public Task<int> ReceiveAsync(Memory<byte> buffer) => Deadline.For(Socket.ReceiveAsync(buffer, SocketFlags.None).AsTask(), "receive");

    /// <summary>Reads until the text has come.</summary>
    public async Task<string> ReadThroughAsync(string last)
    {
        var text = new StringBuilder();
        while (!text.ToString().Contains(last, StringComparison.Ordinal)) // a chunk may end behind it
        {
            int count = await ReceiveAsync(_buffer);
            Assert.True(count > 0, $"The end came before '{last}': {text}");
            text.Append(Encoding.ASCII.GetString(_buffer, 0, count));
        }

        return text.ToString();
    }

    /// <summary>Reads all there is until the end, however it comes.</summary>
    public async Task<(byte[] Bytes, SocketError End)> ReadAllAsync()
    {
        using var bytes = new MemoryStream();
        try
        {
            for (int count; (count = await ReceiveAsync(_buffer)) > 0;)
            {
                bytes.Write(_buffer, 0, count);
            }

            return (bytes.ToArray(), SocketError.Success);
        }
        catch (SocketException exception)
        {
            return (bytes.ToArray(), exception.SocketErrorCode);
        }
    }

    /// <summary>One GET without a body, as text.</summary>
    public async Task<string> GetAsync(string path, string ends)
    {
        await SendAsync($"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        return await ReadThroughAsync(ends);
    }

    public void Dispose() => Socket.Dispose();
}
