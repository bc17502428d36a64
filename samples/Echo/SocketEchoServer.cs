using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Samples.Echo;

/// <summary>The same server on the built-in sockets, whose completions run on the built-in pool.</summary>
internal sealed class SocketEchoServer : IEchoServer
{
    private readonly Socket _listener = Listening.OnLoopback();
    private readonly ConcurrentDictionary<SocketConnection, bool> _open = new();
    private readonly Task _accepting;
    private long _messages, _bytes, _connections;

    public SocketEchoServer() => _accepting = AcceptAsync();

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public async Task<EchoReport> StopAsync()
    {
        _listener.Dispose();
        await _accepting;
        foreach (SocketConnection connection in _open.Keys)
        {
            connection.Abort();
            await connection.Ended;
        }

        return new EchoReport(
            "socket", Volatile.Read(ref _messages), Volatile.Read(ref _bytes), _connections, Allocated: null);
    }

    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>From any thread, once a connection.</summary>
    public void Ended(SocketConnection connection)
    {
        Interlocked.Add(ref _messages, connection.Messages);
        Interlocked.Add(ref _bytes, connection.Bytes);
        _open.TryRemove(connection, out _);
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var connection = new SocketConnection(this, await _listener.AcceptAsync());
                _connections++;
                _open[connection] = true;
                connection.Serve();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The listener was closed.
        }
    }
}
