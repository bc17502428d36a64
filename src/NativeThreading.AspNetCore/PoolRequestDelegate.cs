using Microsoft.AspNetCore.Http;

namespace NativeThreading.AspNetCore;

/// <summary>Runs the rest of a request on a pool, or answers it where the pool does not take it.</summary>
internal sealed class PoolRequestDelegate(NativeThreadPool pool, RejectedRequests rejected, RequestDelegate next)
{
    public Task InvokeAsync(HttpContext context) =>
        // An endpoint of a pool in a branch of the same pool is on the pool already.
        pool.SwitchTo().GetAwaiter().IsCompleted ? next(context) : EnterAsync(context);

    private async Task EnterAsync(HttpContext context)
    {
        var request = new PoolRequest(context, next);
        try
        {
            await request.RunAsync(pool).ConfigureAwait(true);
        }
        catch (Exception exception) when (!request.HasBegun && !context.Response.HasStarted && PoolEntry.IsRefusal(exception))
        {
            await rejected.AnswerAsync(context).ConfigureAwait(true);
            return;
        }
        catch (OperationCanceledException) when (!request.HasBegun && context.RequestAborted.IsCancellationRequested)
        {
        }

        if (!request.HasBegun && !context.Response.HasStarted)
        {
            // The client has gone. Only logs and metrics read the status.
            context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
        }
    }
}
