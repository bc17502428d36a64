using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Turns failed system calls into the exceptions that Kestrel expects from a transport.</summary>
internal static class SocketFailure
{
    private const int BrokenPipe = 32, ProtocolError = 71, ConnectionAborted = 103, ConnectionReset = 104, NotConnected = 107, TimedOut = 110; // errno of Linux

    /// <summary>Of a write after this side has closed the socket.</summary>
    public static Exception ByThisSide() => Aborted(SocketError.OperationAborted);

    public static Exception OfWrite(EventLoopIOResult result) => CodeOf(result) switch
    {
        null => Unknown(result),
        (SocketError.ConnectionReset or SocketError.Shutdown) and { } code => Reset(code),
        { } code => Aborted(code),
    };

    /// <summary>Resets are ordinary, so none is thrown here.</summary>
    public static Exception OfRead(EventLoopIOResult result) => CodeOf(result) is { } code ? Reset(code) : Unknown(result);

    /// <summary>The reason to close a connection whose sender has ended with an exception; <see langword="null"/> after an orderly end.</summary>
    public static Exception? Reason(Exception? ending) => ending is null || IsOfThePeer(ending)
        ? ending
        : new ConnectionAbortedException(ending.Message, ending);

    /// <summary>Whether the peer has caused the end. Then the flushes of the application complete, as with Kestrel's socket transport.</summary>
    public static bool IsOfThePeer(Exception ending) => ending is ConnectionResetException or ConnectionAbortedException;

    /// <summary>Whether accept4 failed for one connection, whose peer has gone. Otherwise the process can accept none.</summary>
    public static bool IsOfOneConnection(IOException exception) => exception.HResult is ProtocolError or ConnectionAborted;

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

    private static IOException Unknown(EventLoopIOResult result) => new(Marshal.GetPInvokeErrorMessage(result.ErrorNumber), result.ErrorNumber);
}
