using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Options;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Puts the transport's own code in front of the application's pipeline, if requests run where that code must know of them.</summary>
internal sealed class RequestFilter(IOptions<NativeTransportOptions> options, AdaptiveRequests adaptive) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        switch (options.Value.Requests)
        {
            case NativeTransportRequests.Adaptive:
                app.Use(rest => new LearnedDelegate(adaptive, adaptive.Outside, rest, isOutermost: true).InvokeAsync);
                break;
            case NativeTransportRequests.Pool:
                app.Use(static rest => new RequestMarks(rest).InvokeAsync);
                break;
            default:
                break;
        }

        next(app);
    };
}
