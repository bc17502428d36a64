using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>How the end of a connection is told to Kestrel.</summary>
internal static class Disconnection
{
    private const int BrokenPipe = 32, ConnectionAborted = 103, ConnectionReset = 104, TimedOut = 110; // errno of Linux

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

    /// <summary>Of a failed read. Resets are ordinary: none is thrown for it.</summary>
    public static Exception Of(EventLoopIOResult result)
    {
        SocketError? error = result.ErrorNumber switch
        {
            BrokenPipe => SocketError.Shutdown,
            ConnectionAborted => SocketError.ConnectionAborted,
            ConnectionReset => SocketError.ConnectionReset,
            TimedOut => SocketError.TimedOut,
            _ => null,
        };
        if (error is { } code)
        {
            var cause = new SocketException((int)code);
            return new ConnectionResetException(cause.Message, cause);
        }

        try
        {
            result.ThrowIfFailed();
            throw new InvalidOperationException("The call has not failed.");
        }
        catch (IOException exception)
        {
            return exception;
        }
    }

    /// <summary>Why a connection is closed whose sender has ended like this; <see langword="null"/>: it was an orderly end.</summary>
    public static Exception? Reason(Exception? ending) => ending is null || IsOfThePeer(ending)
        ? ending
        : new ConnectionAbortedException(ending.Message, ending);

    /// <summary>Such an end is no error of the application's: its flushes complete, as with Kestrel's sockets.</summary>
    public static bool IsOfThePeer(Exception ending) => ending is ConnectionResetException or ConnectionAbortedException;
}
