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
}
