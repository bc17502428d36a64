using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Tells the reads of a connection whose application runs on a named pool when a request starts and when it completes.</summary>
internal sealed class RequestMarks(RequestDelegate next)
{
    public Task InvokeAsync(HttpContext context)
    {
        if ((context.Features.Get<IConnectionSocketFeature>() as LoopConnection)?.PoolReads is not { } reads)
        {
            return next(context); // a connection of another transport
        }

        if (!HttpProtocol.IsHttp11(context.Request.Protocol) && !HttpProtocol.IsHttp10(context.Request.Protocol))
        {
            reads.HaveSeveralRequests();
            return next(context);
        }

        reads.RequestStarts();
        Task? task = null;
        try
        {
            task = next(context);
        }
        finally
        {
            if (task is not { IsCompleted: false })
            {
                reads.RequestCompletes();
            }
        }

        return task.IsCompleted ? task : AwaitAsync(task, reads);
    }

    private static async Task AwaitAsync(Task task, PoolReads reads)
    {
        try
        {
            await task.ConfigureAwait(true);
        }
        finally
        {
            reads.RequestCompletes();
        }
    }
}
