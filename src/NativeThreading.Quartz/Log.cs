using Microsoft.Extensions.Logging;

namespace NativeThreading.Quartz;

/// <summary>All messages of this package. Ids are permanent and listed in docs/reference/events-and-log-ids.md.</summary>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.Quartz";

    [LoggerMessage(1, LogLevel.Error, "Quartz failed outside a job on pool '{Pool}'. The firing of the job may not be recorded as complete.")]
    public static partial void DispatchFailed(ILogger logger, string pool, Exception exception);
}
