using System.Net;
using System.Net.Sockets;
using System.Text;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>One connection, byte by byte. Every call ends at the deadline. One reader and one writer at a time.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly CancellationTokenSource _deadline = new();
    private byte[] _buffer = new byte[16 * 1024];
    private int _start, _end;

    public RawClient(Socket socket)
    {
        Socket = socket;
    }

    /// <summary>How the server has ended the connection.</summary>
    internal enum End
    {
        /// <summary>A FIN.</summary>
        Orderly,

        /// <summary>An RST.</summary>
        Reset,
    }

    public Socket Socket { get; }

    /// <summary>What was received and not consumed yet.</summary>
    public ReadOnlySpan<byte> Received => _buffer.AsSpan(_start, _end - _start);

    /// <param name="endPoint">A wildcard is reached by the loopback address.</param>
    /// <param name="receiveBuffer">0: the system's.</param>
    /// <param name="sendBuffer">0: the system's.</param>
    /// <param name="from">The client's own address: each has its own ports, of which closed connections keep one for a minute.</param>
    public static async Task<RawClient> ConnectAsync(EndPoint endPoint, int receiveBuffer = 0, int sendBuffer = 0, IPAddress? from = null)
    {
        if (endPoint is IPEndPoint { Address: var address } any && (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any)))
        {
            endPoint = new IPEndPoint(address.Equals(IPAddress.Any) ? IPAddress.Loopback : IPAddress.IPv6Loopback, any.Port);
        }

        var client = new RawClient(Create(endPoint));
        try
        {
            if (receiveBuffer > 0)
            {
                client.Socket.ReceiveBufferSize = receiveBuffer;
            }

            if (sendBuffer > 0)
            {
                client.Socket.SendBufferSize = sendBuffer;
            }

            if (from is not null)
            {
                client.Socket.Bind(new IPEndPoint(from, 0));
            }

            client._deadline.CancelAfter(Deadline.Time);
            await client.Socket.ConnectAsync(endPoint, client._deadline.Token);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>A socket that may be connected later.</summary>
    public static Socket Create(EndPoint endPoint)
    {
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, endPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
        if (endPoint is IPEndPoint)
        {
            socket.NoDelay = true;
        }

        return socket;
    }

    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                _deadline.CancelAfter(Deadline.Time);
                bytes = bytes[await Socket.SendAsync(bytes, SocketFlags.None, _deadline.Token)..];
            }
        }
        catch (OperationCanceledException exception)
        {
            throw new TimeoutException($"The server has not taken {bytes.Length} bytes within {Deadline.Time.TotalSeconds} s.", exception);
        }
    }

    /// <summary>Each byte in a packet of its own, as far as the system has no reason to put them together.</summary>
    public async Task SendByteByByteAsync(string text)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        for (int i = 0; i < bytes.Length; i++)
        {
            await SendAsync(bytes.AsMemory(i, 1));
            await Task.Yield();
        }
    }

    /// <summary>Receives some more bytes.</summary>
    /// <returns>False at the end.</returns>
    public async Task<bool> ReceiveAsync()
    {
        if (_start == _end)
        {
            (_start, _end) = (0, 0);
        }
        else if (_end == _buffer.Length)
        {
            int count = _end - _start;
            byte[] buffer = count > _buffer.Length / 2 ? new byte[2 * _buffer.Length] : _buffer;
            _buffer.AsSpan(_start, count).CopyTo(buffer);
            (_buffer, _start, _end) = (buffer, 0, count);
        }

        try
        {
            _deadline.CancelAfter(Deadline.Time);
            int received = await Socket.ReceiveAsync(_buffer.AsMemory(_end), SocketFlags.None, _deadline.Token);
            _end += received;
            return received > 0;
        }
        catch (OperationCanceledException exception)
        {
            throw new TimeoutException(
                $"The server sent nothing within {Deadline.Time.TotalSeconds} s; so far: {Encoding.Latin1.GetString(Received)}", exception);
        }
    }

    public async Task<byte[]> ReadAsync(int count)
    {
        while (Received.Length < count)
        {
            if (!await ReceiveAsync())
            {
                throw CutOff($"{Received.Length} of {count} bytes came.");
            }
        }

        byte[] bytes = Received[..count].ToArray();
        Skip(count);
        return bytes;
    }

    /// <summary>Up to and with the delimiter.</summary>
    public async Task<string> ReadUntilAsync(string delimiter)
    {
        byte[] sought = Encoding.Latin1.GetBytes(delimiter);
        int at;
        while ((at = Received.IndexOf(sought)) < 0)
        {
            if (!await ReceiveAsync())
            {
                throw CutOff($"No {delimiter.ReplaceLineEndings("\\n")} in {Encoding.Latin1.GetString(Received)}");
            }
        }

        return Encoding.Latin1.GetString(await ReadAsync(at + sought.Length));
    }

    /// <summary>All that comes before the server's end, which is an orderly one.</summary>
    public async Task<byte[]> ReadToEndAsync()
    {
        while (await ReceiveAsync())
        {
        }

        return await ReadAsync(Received.Length);
    }

    /// <summary>Discards all received bytes until the server ends the connection.</summary>
    public async Task<End> ReadEndAsync()
    {
        try
        {
            do
            {
                Skip(Received.Length);
            }
            while (await ReceiveAsync());

            return End.Orderly;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            return End.Reset;
        }
    }

    public void EndSending() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>An RST.</summary>
    public void Reset() => Socket.Close(0);

    public void Skip(int count) => _start += count;

    public void Dispose()
    {
        Socket.Dispose();
        _deadline.Dispose();
    }

    public static Exception CutOff(string what) => new EndOfStreamException($"The server ended the connection too early. {what}");
}
