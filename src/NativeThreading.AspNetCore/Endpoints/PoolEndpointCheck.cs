using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>Builds the endpoints when the pipeline has been configured, before the server listens. Routing would build them at the first request, so
/// an unknown pool would be found only then.</summary>
internal sealed class PoolEndpointCheck : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);
        foreach (Endpoint endpoint in app.ApplicationServices.GetService<EndpointDataSource>()?.Endpoints ?? [])
        {
            if (PoolEndpoints.IsToBeIsolated(endpoint))
            {
                PoolEndpoints.Isolated(app.ApplicationServices, endpoint);
            }

            if (endpoint.Metadata.GetMetadata<HubMetadata>() is { } hub)
            {
                HubEndpoints.Check(app.ApplicationServices, hub.HubType);
            }
        }
    };
}
