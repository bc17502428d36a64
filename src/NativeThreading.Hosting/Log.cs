using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>All messages of this package. Ids are permanent and listed in docs/reference/events-and-log-ids.md; those above 100 are in
/// PoolWarning.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Debug, "Pool '{Pool}' started with {Threads} threads; up to {MaxThreads} run at the same time.")]
    public static partial void PoolStarted(ILogger logger, string pool, int threads, int maxThreads);

    [LoggerMessage(2, LogLevel.Debug, "Pool '{Pool}' completed its work and stopped.")]
    public static partial void PoolDrained(ILogger logger, string pool);

    [LoggerMessage(3, LogLevel.Warning, "Pool '{Pool}' was stopped by the host's shutdown timeout: {Dropped} items that had not started were dropped, and {Abandoned} running items were abandoned. To give them more time, raise HostOptions.ShutdownTimeout.")]
    public static partial void PoolStopped(ILogger logger, string pool, long dropped, int abandoned);

    [LoggerMessage(4, LogLevel.Debug, "Event loop group '{Group}' started with {Loops} loops.")]
    public static partial void LoopsStarted(ILogger logger, string group, int loops);

    [LoggerMessage(5, LogLevel.Debug, "Event loop group '{Group}' completed its work and stopped.")]
    public static partial void LoopsDrained(ILogger logger, string group);

    [LoggerMessage(6, LogLevel.Warning, "Event loop group '{Group}' was stopped by the host's shutdown timeout: {Dropped} callbacks were dropped. To give them more time, raise HostOptions.ShutdownTimeout.")]
    public static partial void LoopsStopped(ILogger logger, string group, long dropped);

    [LoggerMessage(7, LogLevel.Warning, "Configuration value {Key} changed from {Before} to {After}. This option is read only at startup; restart the application to apply the change.")]
    public static partial void ConfigurationChanged(ILogger logger, string key, string before, string after);

    [LoggerMessage(EventId = 8, Message = "{Subject}: {Condition}. {Remedy} See docs/reference/conditions.md#{Id}.")]
    public static partial void ConditionBegan(ILogger logger, LogLevel level, string subject, Condition condition, string remedy, string id);

    [LoggerMessage(9, LogLevel.Information, "{Subject}: '{Id}' is over.")]
    public static partial void ConditionEnded(ILogger logger, string subject, string id);

    [LoggerMessage(10, LogLevel.Warning, "Judging the pools failed; retrying within a second.")]
    public static partial void JudgingFailed(ILogger logger, Exception exception);

    [LoggerMessage(21, LogLevel.Information, "The configuration has changed: pool '{Pool}' now runs up to {MaxThreads} threads at the same time, and up to {MaxBlockedThreads} blocked ones.")]
    public static partial void PoolResized(ILogger logger, string pool, int maxThreads, int maxBlockedThreads);

    [LoggerMessage(22, LogLevel.Warning, "The configuration has changed, but pool '{Pool}' keeps its limits: {Reason}")]
    public static partial void PoolNotResized(ILogger logger, string pool, string reason);
}
