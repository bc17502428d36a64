using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

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
