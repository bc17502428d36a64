using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Puts the transport's own code in front of the application's pipeline, if requests run where that code must see them.</summary>
internal sealed class RequestFilter(IOptions<NativeTransportOptions> options, AdaptiveRequests adaptive) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        switch (options.Value.Requests)
        {
            case NativeTransportRequests.Adaptive:
                app.Use(rest => new MeasuredDelegate(adaptive, adaptive.Outside, rest, isOutermost: true).InvokeAsync);
                break;
            case NativeTransportRequests.Pool:
                app.Use(static rest => context => Mark(context, rest));
                break;
            default:
                break;
        }

        next(app);
    };

    /// <summary>Tells the reads of a connection whose application runs on a named pool when a request starts and when it completes.</summary>
    private static Task Mark(HttpContext context, RequestDelegate next)
    {
        if ((context.Features.Get<IConnectionSocketFeature>() as LoopConnection)?.PoolReads is not { } reads)
        {
            return next(context); // a connection of another transport
        }

        reads.RequestStarts();
        bool isHttp1 = HttpProtocol.IsHttp11(context.Request.Protocol) || HttpProtocol.IsHttp10(context.Request.Protocol);
        return isHttp1 ? CompleteAsync(context, next, reads) : next(context);
    }

    private static async Task CompleteAsync(HttpContext context, RequestDelegate next, PoolReads reads)
    {
        try
        {
            await next(context).ConfigureAwait(true);
        }
        finally
        {
            reads.RequestCompletes();
        }
    }
}
