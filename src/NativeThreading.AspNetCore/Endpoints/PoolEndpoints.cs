using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore;

/// <summary>Makes endpoints run on the pool that their metadata names.</summary>
internal static class PoolEndpoints
{
    /// <summary>For each endpoint that has only the attribute, the endpoint that runs on its pool.</summary>
    private static readonly ConditionalWeakTable<Endpoint, Endpoint> s_isolated = [];

    /// <summary>A convention. An endpoint's conventions come before those of its groups; the first call wraps the delegate for all.</summary>
    public static void Isolate(EndpointBuilder builder)
    {
        if (builder.RequestDelegate is not { } next || builder.Metadata.Contains(PoolMarker.Instance))
        {
            return;
        }

        string poolName = builder.Metadata.OfType<INativeThreadPoolMetadata>().Last().PoolName;
        string user = Describe(builder.DisplayName);
        try
        {
            if (!HubEndpoints.Is(builder.ApplicationServices, builder.Metadata, poolName, user))
            {
                builder.RequestDelegate = PoolRequests.On(builder.ApplicationServices, poolName, next, user);
            }
        }
        catch (InvalidOperationException unknown)
        {
            LateCheck.Tell(builder.ApplicationServices, unknown);
            throw;
        }

        builder.Metadata.Add(PoolMarker.Instance);
    }

    /// <summary>Whether this endpoint has only the attribute, and no convention has wrapped its delegate.</summary>
    public static bool IsToBeIsolated(Endpoint endpoint) =>
        endpoint.RequestDelegate is not null
        && endpoint.Metadata.GetMetadata<INativeThreadPoolMetadata>() is not null
        && endpoint.Metadata.GetMetadata<PoolMarker>() is null;

    public static Endpoint Isolated(IServiceProvider services, Endpoint endpoint) =>
        s_isolated.TryGetValue(endpoint, out Endpoint? isolated) ? isolated : s_isolated.GetValue(endpoint, _ => Isolate(services, endpoint));

    private static Endpoint Isolate(IServiceProvider services, Endpoint endpoint)
    {
        string poolName = endpoint.Metadata.GetMetadata<INativeThreadPoolMetadata>()!.PoolName;
        string user = Describe(endpoint.DisplayName);
        RequestDelegate onPool = HubEndpoints.Is(services, endpoint.Metadata, poolName, user)
            ? endpoint.RequestDelegate!
            : PoolRequests.On(services, poolName, endpoint.RequestDelegate!, user);
        var metadata = new EndpointMetadataCollection([.. endpoint.Metadata, PoolMarker.Instance]);
        return endpoint is RouteEndpoint route
            ? new RouteEndpoint(onPool, route.RoutePattern, route.Order, metadata, route.DisplayName)
            : new Endpoint(onPool, metadata, endpoint.DisplayName);
    }

    private static string Describe(string? displayName) => $"The endpoint '{displayName}'";

    /// <summary>Marks an endpoint whose request delegate enters the pool already, or is a hub's.</summary>
    private sealed class PoolMarker
    {
        public static readonly PoolMarker Instance = new();
    }
}

/// <summary>Logs why requests fail where the services of this package are missing. Then nothing checks endpoints at the start: routing builds them at
/// the first request, fails, and tries again at each. The server answers 500 and says nothing. Logged once for an application.</summary>
internal static class LateCheck
{
    private static readonly ConditionalWeakTable<IServiceProvider, object> s_told = [];

    public static void Tell(IServiceProvider services, InvalidOperationException unknown)
    {
        if (services.GetService<RejectionLogs>() is null && s_told.TryAdd(services, unknown))
        {
            Log.CheckedTooLate(services.GetRequiredService<ILoggerFactory>().CreateLogger(Log.Category), unknown.Message, unknown);
        }
    }
}

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

/// <summary>Replaces endpoints that have only the attribute, as routing selects them: no convention of this library reaches them. Costs nothing where there
/// are none.</summary>
internal sealed class PoolEndpointPolicy(IServiceProvider services) : MatcherPolicy, IEndpointSelectorPolicy
{
    /// <summary>After the policies that replace candidates by compiled or loaded endpoints.</summary>
    public override int Order => int.MaxValue;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) =>
        // A dynamic endpoint stands for others that are not known yet.
        ContainsDynamicEndpoints(endpoints) || endpoints.Any(PoolEndpoints.IsToBeIsolated);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (int i = 0; i < candidates.Count; i++)
        {
            if (candidates.IsValidCandidate(i) && PoolEndpoints.IsToBeIsolated(candidates[i].Endpoint))
            {
                candidates.ReplaceEndpoint(i, PoolEndpoints.Isolated(services, candidates[i].Endpoint), candidates[i].Values);
            }
        }

        return Task.CompletedTask;
    }
}
