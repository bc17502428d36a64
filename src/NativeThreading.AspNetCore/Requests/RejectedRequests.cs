using System.Collections.Concurrent;
using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting;

namespace NativeThreading.AspNetCore;

/// <summary>The answer to requests that a pool does not take: its queue is full, or it is shutting down.</summary>
/// <param name="log">Logs that there was one.</param>
/// <param name="options">What the answer says.</param>
internal sealed class RejectedRequests(Action log, NativeThreadPoolRequestOptions options)
{
    private readonly string _retryAfter = Math.Ceiling(options.RetryAfter.TotalSeconds).ToString(CultureInfo.InvariantCulture);

    public async Task AnswerAsync(HttpContext context)
    {
        log();
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        context.Response.Headers.RetryAfter = _retryAfter;
        if (context.RequestServices.GetService<IProblemDetailsService>() is { } problems)
        {
            // False if the client accepts no problem details. Then there is no body.
            await problems.TryWriteAsync(new ProblemDetailsContext { HttpContext = context }).ConfigureAwait(true);
        }
    }
}

/// <summary>The logs of rejected requests: one for each pool, shared by all endpoints of that pool.</summary>
internal sealed class RejectionLogs(IServiceProvider services, ILoggerFactory loggers)
{
    private readonly ConcurrentDictionary<string, RejectionLog> _logs = new(StringComparer.Ordinal);
    private readonly ILogger _logger = loggers.CreateLogger(Log.Category);
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    public RejectionLog Of(string poolName) =>
        _logs.GetOrAdd(poolName, static (poolName, logs) => new RejectionLog(poolName, logs._logger, logs._time), this);
}

/// <summary>Logs that a pool rejects requests. It does not log every request: under overload the server may reject thousands a second.</summary>
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
