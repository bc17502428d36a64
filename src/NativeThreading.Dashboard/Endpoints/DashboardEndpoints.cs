using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Sampling;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>The page, its JSON, its stream and its actions.</summary>
internal static class DashboardEndpoints
{
    public static IEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, string pattern, DashboardOptions options)
    {
        IServiceProvider services = endpoints.ServiceProvider;
        Sampler sampler = Samplers.Of(services);
        sampler.KeepHistory(options.History);
        var environment = services.GetRequiredService<IHostEnvironment>();
        var page = new PageEndpoint(options.AllowActions);
        var samples = new SampleEndpoints(sampler, options.MaxViewers);
        var stream = new StreamEndpoint(sampler, services.GetRequiredService<IHostApplicationLifetime>(), options);
        var actions = new ActionEndpoints(sampler, services.GetService<TimeProvider>() ?? TimeProvider.System);
        var mapping = new DashboardMetadata(pattern);

        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        EndpointDataSource mapped = endpoints.DataSources.Last();
        group.WithMetadata(mapping);
        Add("", Only(HttpMethods.Get, page.AnswerAsync), "page");
        Add("api/v1/snapshot", Only(HttpMethods.Get, samples.SnapshotAsync), "snapshot");
        Add("api/v1/history", Only(HttpMethods.Get, samples.HistoryAsync), "history");
        Add("api/v1/incident.json", Only(HttpMethods.Get, samples.IncidentAsync), "incident");
        Add("api/v1/stream", Only(HttpMethods.Get, stream.AnswerAsync), "stream").WithMetadata(new DisableRequestTimeoutAttribute());
        Add("api/v1/stacks", options.AllowActions ? Only(HttpMethods.Post, actions.StacksAsync) : Access.NotFoundAsync, "stacks");
        Add("api/v1/reset", options.AllowActions ? Only(HttpMethods.Post, actions.ResetAsync) : Access.NotFoundAsync, "reset");

        // Last of all conventions: a cache would store the nonce of a page, and let clients wait for the end of a stream.
        ((IEndpointConventionBuilder)group).Finally(static endpoint => endpoint.Metadata.Add(new OutputCacheAttribute { NoStore = true }));
        Access.CheckAtStart(endpoints, mapped, mapping);
        return group;

        IEndpointConventionBuilder Add(string path, RequestDelegate answer, string name) =>
            group.Map(path, Access.Guard(answer, environment)).WithDisplayName($"NativeThreading.Dashboard {pattern}: {name}");
    }

    /// <summary>Routing would answer other methods before anything has decided whether the client may know that there is an endpoint.</summary>
    private static RequestDelegate Only(string method, RequestDelegate answer) => context =>
    {
        if (HttpMethods.Equals(context.Request.Method, method))
        {
            return answer(context);
        }

        context.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
        context.Response.Headers.Allow = method;
        return Task.CompletedTask;
    };
}

/// <summary>Marks the endpoints of one mapping.</summary>
/// <param name="Pattern">For messages.</param>
internal sealed record DashboardMetadata(string Pattern);
