using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore;

/// <summary>All messages of this package. Ids are permanent and listed in docs/metrics.md.</summary>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.AspNetCore";

    [LoggerMessage(1, LogLevel.Warning, "Pool {Pool} does not take a request, because its queue is full or it is shutting down: answered with 503. {Untold} more were, since this was last told.")]
    public static partial void RequestRejected(ILogger logger, string pool, long untold);

    [LoggerMessage(2, LogLevel.Warning, "Pool {Pool} does not take a call of a hub, because its queue is full or it is shutting down: answered with an error. {Untold} more were, since this was last told.")]
    public static partial void CallRejected(ILogger logger, string pool, long untold);

    [LoggerMessage(3, LogLevel.Error, "No endpoint can be served: {Reason} It was not found at the start, because neither AddNativeThreadPool nor AddNativeThreadPoolEndpoints was called.")]
    public static partial void CheckedTooLate(ILogger logger, string reason, Exception exception);

    [LoggerMessage(4, LogLevel.Warning, "The native transport needs the native core and Linux, and this process runs on the {Core} core: Kestrel's own sockets carry the connections.")]
    public static partial void TransportNotUsable(ILogger logger, ThreadingCore core);

    [LoggerMessage(5, LogLevel.Warning, "No connection of {EndPoint} can be accepted. This is tried again every 50 ms, and not told again until one was accepted.")]
    public static partial void AcceptFailed(ILogger logger, System.Net.EndPoint endPoint, Exception exception);

    [LoggerMessage(15, LogLevel.Warning, "{Count} connections of the native transport were left behind: code that was called on a loop has not returned within {Seconds} s of the end.")]
    public static partial void LeftBehind(ILogger logger, int count, double seconds);

    [LoggerMessage(6, LogLevel.Debug, "Connection {ConnectionId} was reset by its peer.", EventName = "ConnectionReset")]
    public static partial void ConnectionReset(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(7, LogLevel.Error, "A callback of connection {ConnectionId} failed, which was told that it is closed.")]
    public static partial void ClosedCallbackFailed(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(8, LogLevel.Error, "Code of the native transport failed on a loop. The loop goes on.")]
    public static partial void LoopCallbackFailed(ILogger logger, Exception exception);

    [LoggerMessage(9, LogLevel.Debug, "Connection {ConnectionId} failed.", EventName = "ConnectionError")]
    public static partial void ConnectionFailed(ILogger logger, string connectionId, Exception exception);

    [LoggerMessage(10, LogLevel.Debug, "Connection {ConnectionId} has received FIN.", EventName = "ConnectionReadFin")]
    public static partial void ConnectionReadFin(ILogger logger, string connectionId);

    [LoggerMessage(11, LogLevel.Debug, "Connection {ConnectionId} sends FIN: {Reason}", EventName = "ConnectionWriteFin")]
    public static partial void ConnectionWriteFin(ILogger logger, string connectionId, string reason);

    [LoggerMessage(12, LogLevel.Debug, "Connection {ConnectionId} sends RST: {Reason}", EventName = "ConnectionWriteRst")]
    public static partial void ConnectionWriteRst(ILogger logger, string connectionId, string reason);

    [LoggerMessage(13, LogLevel.Debug, "Connection {ConnectionId} is not read from until the application has consumed more.", EventName = "ConnectionPause")]
    public static partial void ConnectionPaused(ILogger logger, string connectionId);

    [LoggerMessage(14, LogLevel.Debug, "Connection {ConnectionId} is read from again.", EventName = "ConnectionResume")]
    public static partial void ConnectionResumed(ILogger logger, string connectionId);

    [LoggerMessage(16, LogLevel.Information, "{Endpoint} has run on event loops, but {Reason}: it goes on on the pool {Pool}, until it was short for long. Not told again of this one.")]
    public static partial void SentBackToPool(ILogger logger, string endpoint, string reason, string pool);

    [LoggerMessage(17, LogLevel.Warning, "The native transport has no event loop, so Kestrel's own sockets carry the connections. {Reason} Allow this system call in the container's seccomp profile, or raise the limit that was reached, and start the application again.")]
    public static partial void NoLoop(ILogger logger, string reason, Exception exception);

    [LoggerMessage(18, LogLevel.Warning, "A request was answered with 503, because the pool '{Pool}' of the native transport takes no more: {Blocked} of at most {MaxBlockedThreads} blocked threads, {Waiting} items wait. Await in these handlers instead of blocking, or raise the limits in NativeTransportOptions.DefaultPool. {Suppressed} similar messages suppressed.")]
    public static partial void RequestRejectedAtTheLimit(ILogger logger, string pool, int blocked, int maxBlockedThreads, long waiting, long suppressed);
}
