namespace NativeThreading.Kestrel.Transport;

/// <summary>Why accept4 failed.</summary>
internal static class AcceptError
{
    private const int ProtocolError = 71, ConnectionAborted = 103; // errno of Linux

    /// <summary>The connection in front has gone, and the next one may be accepted. Else it is the process that can accept none.</summary>
    public static bool IsOfOneConnection(IOException exception) => exception.HResult is ProtocolError or ConnectionAborted;
}
