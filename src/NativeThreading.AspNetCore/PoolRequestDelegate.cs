using Microsoft.AspNetCore.Http;

namespace NativeThreading.AspNetCore;

/// <summary>Runs the rest of a request on a pool, or answers it where the pool does not take it.</summary>
internal sealed class PoolRequestDelegate(NativeThreadPool pool, RejectedRequests rejected, RequestDelegate next)
{
    public Task InvokeAsync(HttpContext context) =>
        // An endpoint of the pool in a branch of the same pool: it is there already.
        NativeThreadPool.Current == pool && TaskScheduler.Current == pool.Scheduler ? next(context) : EnterAsync(context);

    private async Task EnterAsync(HttpContext context)
    {
        var request = new PoolRequest(context, next);
        try
        {
            // What follows belongs to whoever called: for a branch on a pool of its own that is the other pool.
            await PoolEntry.RunAsync(pool, request.RunAsync, context.RequestAborted).ConfigureAwait(true);
        }
        catch (Exception exception) when (!request.HasBegun && !context.Response.HasStarted && PoolEntry.IsRefusal(exception))
        {
            await rejected.AnswerAsync(context).ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (!request.HasBegun && context.RequestAborted.IsCancellationRequested)
        {
            // Nobody reads the answer; logs and metrics do.
            if (!context.Response.HasStarted)
            {
                context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
            }
        }
    }
}
