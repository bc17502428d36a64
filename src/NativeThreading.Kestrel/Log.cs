using Microsoft.Extensions.Logging;

namespace NativeThreading.Kestrel;

/// <summary>All messages of this package. Ids are permanent and listed in docs/reference/events-and-log-ids.md.</summary>
/// <remarks>The format of <c>Suppressed</c> has a section for 0, an empty literal: a message without suppressed repeats does not mention any.</remarks>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.Kestrel";

    [LoggerMessage(4, LogLevel.Warning, "The native transport requires Linux and the native core, but this process runs on the {Core} core. Kestrel's socket transport carries the connections instead.")]
    public static partial void TransportNotUsable(ILogger logger, ThreadingCore core);

    [LoggerMessage(5, LogLevel.Warning, "Cannot accept connections on {EndPoint}; retrying every 50 ms. The process may have reached its limit of open files. Not logged again until a connection is accepted.")]
    public static partial void AcceptFailed(ILogger logger, System.Net.EndPoint endPoint, Exception exception);

    [LoggerMessage(15, LogLevel.Warning, "{Count} connections were abandoned when the native transport was disposed: code that it had called on an event loop did not return within {Seconds} s. Handlers that block for long belong on a pool.")]
    public static partial void LeftBehind(ILogger logger, int count, double seconds);

    [LoggerMessage(6, LogLevel.Debug, "Connection {ConnectionId} was reset by its peer.", EventName = "ConnectionReset")]
    public static partial void ConnectionReset(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(7, LogLevel.Error, "A callback of ConnectionClosed threw an exception (connection {ConnectionId}).")]
    public static partial void ClosedCallbackFailed(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(8, LogLevel.Error, "Code of the native transport threw an exception on an event loop. The loop continues. This is a bug in NativeThreading; please report it.")]
    public static partial void LoopCallbackFailed(ILogger logger, Exception exception);

    [LoggerMessage(9, LogLevel.Debug, "Connection {ConnectionId} failed.", EventName = "ConnectionError")]
    public static partial void ConnectionFailed(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(10, LogLevel.Debug, "Connection {ConnectionId} received FIN.", EventName = "ConnectionReadFin")]
    public static partial void ConnectionReadFin(ILogger logger, string connectionId);

    [LoggerMessage(11, LogLevel.Debug, "Connection {ConnectionId} sends FIN: {Reason}", EventName = "ConnectionWriteFin")]
    public static partial void ConnectionWriteFin(ILogger logger, string connectionId, string reason);

    [LoggerMessage(12, LogLevel.Debug, "Connection {ConnectionId} sends RST: {Reason}", EventName = "ConnectionWriteRst")]
    public static partial void ConnectionWriteRst(ILogger logger, string connectionId, string reason);

    [LoggerMessage(13, LogLevel.Debug, "Connection {ConnectionId} paused reading until the application consumes more.", EventName = "ConnectionPause")]
    public static partial void ConnectionPaused(ILogger logger, string connectionId);

    [LoggerMessage(14, LogLevel.Debug, "Connection {ConnectionId} resumed reading.", EventName = "ConnectionResume")]
    public static partial void ConnectionResumed(ILogger logger, string connectionId);

    [LoggerMessage(16, LogLevel.Information, "'{Endpoint}' {Reason} and was moved from the event loops to pool '{Pool}'. It returns after 1,000 consecutive short runs. Logged once per endpoint.")]
    public static partial void SentBackToPool(ILogger logger, string endpoint, string reason, string pool);

    [LoggerMessage(17, LogLevel.Warning, "The native transport could not create an event loop, so Kestrel's socket transport carries the connections. {Reason} Allow this system call in the container's seccomp profile, or raise the limit that was reached, and restart the application.")]
    public static partial void NoLoop(ILogger logger, string reason, Exception exception);

    [LoggerMessage(18, LogLevel.Warning, "Request rejected with 503: pool '{Pool}' of the native transport is at its limit, with {Blocked} of at most {MaxBlockedThreads} blocked threads and {Waiting} waiting items. Await in these handlers instead of blocking, or raise the limits in NativeTransportOptions.DefaultPool.{Suppressed:' '0' similar messages suppressed.';;''}")]
    public static partial void RequestRejectedAtTheLimit(ILogger logger, string pool, int blocked, int maxBlockedThreads, long waiting, long suppressed);
}
