using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Samples.Echo;

/// <summary>The listening socket of both servers.</summary>
internal static class Listening
{
    /// <summary>On a free port. Accepted sockets inherit the lack of delay.</summary>
    public static Socket OnLoopback()
    {
        var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, Blocking = false };
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1024);
        return listener;
    }
}
