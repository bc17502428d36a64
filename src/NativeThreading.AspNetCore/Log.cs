using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore;

internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.AspNetCore";

    // Debug: under overload there are as many as the server can refuse; the pool's metrics count them.
    [LoggerMessage(1, LogLevel.Debug, "The pool {PoolName} does not take the request: answered with 503.")]
    public static partial void RequestRejected(ILogger logger, string poolName);
}
