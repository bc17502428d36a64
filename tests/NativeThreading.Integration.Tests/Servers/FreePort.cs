using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Integration.Servers;

/// <summary>A port of 127.0.0.1 that no process listens on.</summary>
internal static class FreePort
{
    /// <summary>Another process may take it first; its user must then try another port.</summary>
    public static int Find()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
