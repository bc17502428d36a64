using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>The client's side of one WebSocket. Its messages are so short that the system takes each as a whole.</summary>
internal sealed class WebSocketConnection : IDisposable
{
    private readonly byte[] _buffer = new byte[WebSocketMessage.Echo.Length];
    private int _received;
    private long _sent;

    /// <exception cref="MeasurementException">The server does not speak it.</exception>
    public WebSocketConnection(Uri target)
    {
        Socket = ClientSocket.Connect(target);
        ClientSocket.SendAll(Socket, WebSocketMessage.Handshake(target));
        byte[] head = ClientSocket.ReceiveUntil(Socket, static bytes => bytes.EndsWith("\r\n\r\n"u8));
        if (!WebSocketMessage.IsAgreement(head))
        {
            throw new MeasurementException($"the server does not agree to a WebSocket: '{Encoding.ASCII.GetString(head)}'.");
        }
    }

    public Socket Socket { get; }

    public void Send()
    {
        _sent = Stopwatch.GetTimestamp();
        ClientSocket.SendAll(Socket, WebSocketMessage.Frame);
    }

    /// <summary>When there is something to read: microseconds since the message was sent, once it is back.</summary>
    /// <exception cref="MeasurementException">Something else has come back.</exception>
    public double? Receive()
    {
        int count = Socket.Receive(_buffer.AsSpan(_received));
        _received += count;
        if (count > 0 && _received < _buffer.Length)
        {
            return null;
        }

        if (!_buffer.AsSpan(0, _received).SequenceEqual(WebSocketMessage.Echo))
        {
            throw new MeasurementException($"a WebSocket has sent {_received} bytes that are not the message, or has ended.");
        }

        _received = 0;
        return Stopwatch.GetElapsedTime(_sent).TotalMicroseconds;
    }

    public void Dispose()
    {
        ClientSocket.SendAll(Socket, WebSocketMessage.Close);
        Socket.Dispose();
    }
}
