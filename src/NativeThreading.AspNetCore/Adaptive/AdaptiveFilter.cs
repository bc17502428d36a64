using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>Puts what learns in front of the application's pipeline.</summary>
internal sealed class AdaptiveFilter(AdaptiveRequests requests) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        if (requests.IsUsed)
        {
            app.Use(rest => new LearnedDelegate(requests, requests.Outside, rest, isOutermost: true).InvokeAsync);
        }

        next(app);
    };
}
