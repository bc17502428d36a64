using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>How the end of a connection is told to Kestrel.</summary>
internal static class Disconnection
{
    /// <summary>Of a failed send.</summary>
    public static Exception Of(SocketError error)
    {
        var cause = new SocketException((int)error);
        return error switch
        {
            SocketError.ConnectionReset or SocketError.Shutdown => new ConnectionResetException(cause.Message, cause),
            SocketError.ConnectionAborted or SocketError.OperationAborted or SocketError.TimedOut
                or SocketError.NotConnected or SocketError.Interrupted => new ConnectionAbortedException(cause.Message, cause),
            _ => new IOException(cause.Message, cause),
        };
    }

    /// <summary>Of a failed read.</summary>
    public static Exception Of(EventLoopIOResult result)
    {
        try
        {
            result.ThrowIfFailed();
            throw new InvalidOperationException("The call has not failed.");
        }
        catch (IOException cause)
        {
            return result.IsDisconnected ? new ConnectionResetException(cause.Message, cause) : cause;
        }
    }
}
