using Microsoft.Extensions.Logging;

namespace NativeThreading.Hosting;

/// <summary>
/// All messages of this package. Ids are permanent and listed in docs/metrics.md; those above 100 are in PoolWarning.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Debug, "Pool {Pool} has started with {Threads} threads; {MaxThreads} may run at once.")]
    public static partial void PoolStarted(ILogger logger, string pool, int threads, int maxThreads);

    [LoggerMessage(2, LogLevel.Debug, "Pool {Pool} has finished its work and stopped.")]
    public static partial void PoolDrained(ILogger logger, string pool);

    [LoggerMessage(3, LogLevel.Warning, "Pool {Pool} was stopped because the time to shut down was over: {Dropped} items that had not begun were dropped, {Abandoned} that run are abandoned.")]
    public static partial void PoolStopped(ILogger logger, string pool, long dropped, int abandoned);

    [LoggerMessage(4, LogLevel.Debug, "Event loops {Group} have started: {Loops} of them.")]
    public static partial void LoopsStarted(ILogger logger, string group, int loops);

    [LoggerMessage(5, LogLevel.Debug, "Event loops {Group} have finished their work and stopped.")]
    public static partial void LoopsDrained(ILogger logger, string group);

    [LoggerMessage(6, LogLevel.Warning, "Event loops {Group} were stopped because the time to shut down was over: {Dropped} callbacks were dropped.")]
    public static partial void LoopsStopped(ILogger logger, string group, long dropped);

    [LoggerMessage(7, LogLevel.Warning, "The configuration {Key} has changed from {Before} to {After}. It was read when the host started: the change has no effect before the next start.")]
    public static partial void ConfigurationChanged(ILogger logger, string key, string before, string after);
}
