using Microsoft.AspNetCore.Http;

namespace NativeThreading.AspNetCore;

/// <summary>One request as the pool runs it.</summary>
internal sealed class PoolRequest(HttpContext context, RequestDelegate next)
{
    /// <summary>
    /// Whether the handler was called: what is thrown before is the pool's, what is thrown after is the handler's, even if
    /// it looks alike. Written by the worker, read behind the completion of the same task.
    /// </summary>
    public bool HasBegun { get; private set; }

    public Task RunAsync()
    {
        HasBegun = true;
        try
        {
            return next(context);
        }
        catch (Exception exception)
        {
            // Thrown out of the task's delegate, a cancellation would become a new exception without its stack.
            return Task.FromException(exception);
        }
    }
}
