using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting;

namespace NativeThreading.AspNetCore;

/// <summary>The logs of rejected requests: one for each pool, shared by all endpoints of that pool.</summary>
internal sealed class RejectionLogs(IServiceProvider services, ILoggerFactory loggers)
{
    private readonly ConcurrentDictionary<string, RejectionLog> _logs = new(StringComparer.Ordinal);
    private readonly ILogger _logger = loggers.CreateLogger(Log.Category);
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    public RejectionLog Of(string poolName) =>
        _logs.GetOrAdd(poolName, static (poolName, logs) => new RejectionLog(poolName, logs._logger, logs._time), this);
}

/// <summary>
/// Logs that a pool rejects requests. It does not log every request: under overload the server may reject thousands a second.
/// </summary>
internal sealed class RejectionLog(string poolName, ILogger logger, TimeProvider time)
{
    private readonly WarningPace _requests = new(time);
    private readonly WarningPace _calls = new(time);

    public void RequestRejected()
    {
        if (_requests.MayLog(out long suppressed))
        {
            Log.RequestRejected(logger, poolName, suppressed);
        }
    }

    public void CallRejected()
    {
        if (_calls.MayLog(out long suppressed))
        {
            Log.CallRejected(logger, poolName, suppressed);
        }
    }
}
