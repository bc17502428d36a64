using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore;

/// <summary>All messages of this package. Ids are permanent and listed in docs/reference/events-and-log-ids.md.</summary>
/// <remarks>The format of <c>Suppressed</c> has a section for 0, an empty literal: a message without suppressed repeats does not mention any.</remarks>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.AspNetCore";

    [LoggerMessage(1, LogLevel.Warning, "Request rejected with 503: the queue of pool '{Pool}' is full, or the pool is shutting down. To accept more requests, raise QueueLimit or MaxThreads.{Suppressed:' '0' similar messages suppressed.';;''}")]
    public static partial void RequestRejected(ILogger logger, string pool, long suppressed);

    [LoggerMessage(2, LogLevel.Warning, "Hub call rejected with an error: the queue of pool '{Pool}' is full, or the pool is shutting down. To accept more calls, raise QueueLimit or MaxThreads.{Suppressed:' '0' similar messages suppressed.';;''}")]
    public static partial void CallRejected(ILogger logger, string pool, long suppressed);

    [LoggerMessage(3, LogLevel.Error, "All requests fail with 500: {Reason} Call services.AddNativeThreadPoolEndpoints() so that the application detects this at startup.")]
    public static partial void CheckedTooLate(ILogger logger, string reason, Exception exception);
}
