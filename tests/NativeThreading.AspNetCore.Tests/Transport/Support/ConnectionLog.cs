using System.Collections.Concurrent;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>The connections that Kestrel was handed by its transport.</summary>
internal sealed class ConnectionLog
{
    private ConcurrentQueue<WeakReference> _seen = new();
    private int _accepted, _open;

    public int Accepted => Volatile.Read(ref _accepted);

    public int Open => Volatile.Read(ref _open);

    /// <summary>How many connection objects are still referenced; meaningful after a collection. Forgets the others, and the room that they
    /// took here. While no connection comes.</summary>
    public int CountAlive()
    {
        _seen = new(_seen.Where(static connection => connection.IsAlive));
        return _seen.Count;
    }

    /// <summary>What they say of themselves, a line each, and what their sockets hold unread.</summary>
    public string Describe() => string.Join(Environment.NewLine, _seen.Select(static connection => connection.Target).OfType<ConnectionContext>()
        .Select(static connection => $"{connection}, {Available(connection.Features.Get<IConnectionSocketFeature>()!.Socket)}"));

    /// <summary>What has arrived at a socket and was not read.</summary>
    public static string Available(Socket socket)
    {
        try
        {
            return $"{socket.Available} bytes unread";
        }
        catch (Exception exception) when (exception is ObjectDisposedException or SocketException)
        {
            return "closed";
        }
    }

    public void Watch(ListenOptions listen) => listen.Use(next => async connection =>
    {
        Interlocked.Increment(ref _accepted);
        Interlocked.Increment(ref _open);
        _seen.Enqueue(new WeakReference(connection));
        try
        {
            await next(connection);
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    });
}
