using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
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
        var environment = services.GetRequiredService<IHostEnvironment>();
        var page = new PageEndpoint(options.AllowActions);
        var samples = new SampleEndpoints(sampler);
        var stream = new StreamEndpoint(sampler, services.GetRequiredService<IHostApplicationLifetime>(), options.WriteTimeout);
        var actions = new ActionEndpoints(sampler, services.GetService<TimeProvider>() ?? TimeProvider.System, options.AllowActions);
        var mapping = new DashboardMetadata(pattern);

        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        group.WithMetadata(mapping);
        Add("", HttpMethods.Get, page.AnswerAsync, "page");
        Add("api/v1/snapshot", HttpMethods.Get, samples.SnapshotAsync, "snapshot");
        Add("api/v1/stream", HttpMethods.Get, stream.AnswerAsync, "stream");
        Add("api/v1/stacks", HttpMethods.Post, actions.StacksAsync, "stacks");
        Add("api/v1/reset", HttpMethods.Post, actions.ResetAsync, "reset");
        Access.TellAtStart(services, mapping);
        return group;

        void Add(string path, string method, RequestDelegate answer, string name) =>
            group.MapMethods(path, [method], Access.Guard(answer, environment)).WithDisplayName($"NativeThreading.Dashboard {pattern}: {name}");
    }
}
