using System.Net;
using System.Net.Sockets;

namespace NativeThreading.Integration.Servers;

/// <summary>A port of 127.0.0.1 that nobody listens on.</summary>
internal static class FreePort
{
    /// <summary>Somebody else may take it before its user does, which must then try another.</summary>
    public static int Find()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
