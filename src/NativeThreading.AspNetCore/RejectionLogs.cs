using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting;

namespace NativeThreading.AspNetCore;

/// <summary>The logs of refused requests: one for each pool, for all its endpoints.</summary>
internal sealed class RejectionLogs(IServiceProvider services, ILoggerFactory loggers)
{
    private readonly ConcurrentDictionary<string, RejectionLog> _logs = new(StringComparer.Ordinal);
    private readonly ILogger _logger = loggers.CreateLogger(Log.Category);
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    public RejectionLog Of(string poolName) =>
        _logs.GetOrAdd(poolName, static (poolName, logs) => new RejectionLog(poolName, logs._logger, logs._time), this);
}

/// <summary>
/// Logs that a pool refuses requests: not each one, because under overload there are as many as the server can refuse.
/// </summary>
internal sealed class RejectionLog(string poolName, ILogger logger, TimeProvider time)
{
    private readonly WarningPace _requests = new(time);
    private readonly WarningPace _calls = new(time);

    public void RequestRejected()
    {
        if (_requests.MayTell(out long untold))
        {
            Log.RequestRejected(logger, poolName, untold);
        }
    }

    public void CallRejected()
    {
        if (_calls.MayTell(out long untold))
        {
            Log.CallRejected(logger, poolName, untold);
        }
    }
}
