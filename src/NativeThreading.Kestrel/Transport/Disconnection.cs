using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

/// <summary>How the end of a connection is told to Kestrel.</summary>
internal static class Disconnection
{
    private const int BrokenPipe = 32, ConnectionAborted = 103, ConnectionReset = 104, NotConnected = 107, TimedOut = 110; // errno of Linux

    /// <summary>Of a write that this side has made impossible.</summary>
    public static Exception ByThisSide() => Aborted(SocketError.OperationAborted);

    /// <summary>Of a failed write.</summary>
    public static Exception OfWrite(EventLoopIOResult result) => CodeOf(result) switch
    {
        null => Unknown(result),
        (SocketError.ConnectionReset or SocketError.Shutdown) and { } code => Reset(code),
        { } code => Aborted(code),
    };

    /// <summary>Of a failed read. Resets are ordinary: none is thrown for it.</summary>
    public static Exception OfRead(EventLoopIOResult result) => CodeOf(result) is { } code ? Reset(code) : Unknown(result);

    /// <summary>Why a connection is closed whose sender has ended like this; <see langword="null"/>: it was an orderly end.</summary>
    public static Exception? Reason(Exception? ending) => ending is null || IsOfThePeer(ending)
        ? ending
        : new ConnectionAbortedException(ending.Message, ending);

    /// <summary>Such an end is no error of the application's: its flushes complete, as with Kestrel's sockets.</summary>
    public static bool IsOfThePeer(Exception ending) => ending is ConnectionResetException or ConnectionAbortedException;

    private static SocketError? CodeOf(EventLoopIOResult result) => result.ErrorNumber switch
    {
        BrokenPipe => SocketError.Shutdown,
        ConnectionAborted => SocketError.ConnectionAborted,
        ConnectionReset => SocketError.ConnectionReset,
        NotConnected => SocketError.NotConnected,
        TimedOut => SocketError.TimedOut,
        _ => null,
    };

    private static ConnectionResetException Reset(SocketError code)
    {
        var cause = new SocketException((int)code);
        return new ConnectionResetException(cause.Message, cause);
    }

    private static ConnectionAbortedException Aborted(SocketError code)
    {
        var cause = new SocketException((int)code);
        return new ConnectionAbortedException(cause.Message, cause);
    }

    private static IOException Unknown(EventLoopIOResult result)
    {
        try
        {
            result.ThrowIfFailed();
            throw new InvalidOperationException("The call did not fail.");
        }
        catch (IOException exception)
        {
            return exception;
        }
    }
}
