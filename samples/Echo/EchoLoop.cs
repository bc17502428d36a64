using System.Net.Sockets;
using NativeThreading.EventLoops;

namespace NativeThreading.Samples.Echo;

/// <summary>One loop and the connections that live on it. But for <see cref="Adopt"/>, only the loop's thread calls.</summary>
internal sealed class EchoLoop(EventLoop loop)
{
    // No lock: a connection is opened, served and closed on one thread.
    private readonly HashSet<EchoConnection> _open = [];

    public EventLoop Loop => loop;

    public LoopCounts Counts { get; } = new();

    /// <summary>Takes a connection over, from any thread.</summary>
    public void Adopt(SafeSocketHandle accepted)
    {
        var connection = new EchoConnection(this, new Socket(accepted));
        if (loop.IsInLoop)
        {
            connection.Open();
        }
        else
        {
            loop.UnsafePost(static connection => ((EchoConnection)connection!).Open(), connection);
        }
    }

    public void Opened(EchoConnection connection)
    {
        _open.Add(connection);
        Counts.CountConnection();
    }

    public void Closed(EchoConnection connection) => _open.Remove(connection);

    public void AbortAll()
    {
        foreach (EchoConnection connection in _open.ToArray())
        {
            connection.Abort();
        }
    }
}
