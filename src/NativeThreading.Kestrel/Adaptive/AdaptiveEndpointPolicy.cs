using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using NativeThreading.AspNetCore;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// Replaces endpoints by such that learn, when routing builds its tables: no request pays for it, and routing keeps its fast way, which it
/// leaves where a policy selects at each request. What other policies put in place at a request, Razor Pages and dynamic routes, counts
/// as code outside of endpoints.
/// </summary>
internal sealed class AdaptiveEndpointPolicy(AdaptiveRequests requests) : MatcherPolicy, INodeBuilderPolicy
{
    /// <summary>The last: what others make of the endpoints is replaced, too.</summary>
    public override int Order => int.MaxValue;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => requests.IsUsed && endpoints.Any(IsToLearn);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints) =>
        [new PolicyNodeEdge("learned", [.. endpoints.Select(endpoint => IsToLearn(endpoint) ? Learned((RouteEndpoint)endpoint) : endpoint)])];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) => new OneWay(edges[0].Destination);

    /// <summary>Not those that have a pool of their own.</summary>
    private static bool IsToLearn(Endpoint endpoint) =>
        endpoint is RouteEndpoint { RequestDelegate: not null, Metadata: var metadata }
        && metadata.GetMetadata<INativeThreadPoolMetadata>() is null
        && metadata.GetMetadata<IDynamicEndpointMetadata>() is not { IsDynamic: true };

    private RouteEndpoint Learned(RouteEndpoint endpoint) => new(
        new LearnedDelegate(requests, requests.Of(endpoint), endpoint.RequestDelegate!).InvokeAsync,
        endpoint.RoutePattern,
        endpoint.Order,
        endpoint.Metadata,
        endpoint.DisplayName);

    private sealed class OneWay(int destination) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) => destination;
    }
}
