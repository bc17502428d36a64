using System.Net;
using System.Net.Sockets;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>A blocking socket of a client.</summary>
internal static class ClientSocket
{
    private const int Most = 16 * 1024;
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    /// <param name="target">The server. Its host is an address.</param>
    /// <param name="from">The client's own address; by default the system's choice.</param>
    public static Socket Connect(Uri target, IPAddress? from = null)
    {
        var address = IPAddress.Parse(target.Host);
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = (int)s_deadline.TotalMilliseconds };
        if (from is not null)
        {
            socket.Bind(new IPEndPoint(from, 0));
        }

        socket.Connect(address, target.Port);
        return socket;
    }

    public static void SendAll(Socket socket, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[socket.Send(bytes)..];
        }
    }

    /// <summary>Asks for the target once.</summary>
    /// <returns>The answer.</returns>
    public static byte[] Ask(Socket socket, Uri target)
    {
        SendAll(socket, Request(target));
        return ReceiveUntil(socket, static bytes => PipelinedAnswers.LengthOf(bytes) == bytes.Length);
    }

    public static byte[] Request(Uri target) => System.Text.Encoding.ASCII.GetBytes($"GET {target.PathAndQuery} HTTP/1.1\r\nHost: {target.Authority}\r\n\r\n");

    /// <exception cref="MeasurementException">It has ended before.</exception>
    public static byte[] ReceiveUntil(Socket socket, Func<ReadOnlySpan<byte>, bool> isWhole)
    {
        byte[] buffer = new byte[Most];
        int received = 0;
        while (received == 0 || !isWhole(buffer.AsSpan(0, received)))
        {
            int count = socket.Receive(buffer.AsSpan(received));
            if (count == 0)
            {
                throw new MeasurementException($"the server has ended a connection after {received} bytes.");
            }

            received += count;
        }

        return buffer[..received];
    }
}
