using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting;

namespace NativeThreading.AspNetCore;

/// <summary>The logs of what pools did not take: one for a pool, whichever endpoints it has.</summary>
internal sealed class RejectionLogs(IServiceProvider services, ILoggerFactory loggers)
{
    private readonly ConcurrentDictionary<string, RejectionLog> _logs = new(StringComparer.Ordinal);
    private readonly ILogger _logger = loggers.CreateLogger(Log.Category);
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    public RejectionLog Of(string poolName) =>
        _logs.GetOrAdd(poolName, static (poolName, logs) => new RejectionLog(poolName, logs._logger, logs._time), this);
}

/// <summary>Tells that a pool does not take what comes. Under overload there is as much as the server can refuse, so not of each.</summary>
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
