using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;
using NativeThreading.AspNetCore;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>Replaces endpoints by measured ones when routing builds its tables. So no request pays for it, and routing keeps its fast path, which a
/// policy that selects at each request would take away. Endpoints that other policies choose at a request (Razor Pages, dynamic routes) count as code
/// outside of endpoints.</summary>
internal sealed class AdaptiveEndpointPolicy(AdaptiveRequests requests) : MatcherPolicy, INodeBuilderPolicy
{
    /// <summary>The last one: what other policies make of the endpoints is replaced, too.</summary>
    public override int Order => int.MaxValue;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => requests.IsUsed && endpoints.Any(IsMeasured);

    public IReadOnlyList<PolicyNodeEdge> GetEdges(IReadOnlyList<Endpoint> endpoints) =>
        [new PolicyNodeEdge("measured", [.. endpoints.Select(endpoint => IsMeasured(endpoint) ? Measured((RouteEndpoint)endpoint) : endpoint)])];

    public PolicyJumpTable BuildJumpTable(int exitDestination, IReadOnlyList<PolicyJumpTableEdge> edges) => new OneWay(edges[0].Destination);

    /// <summary>Endpoints on a pool of the application are not measured.</summary>
    private static bool IsMeasured(Endpoint endpoint) =>
        endpoint is RouteEndpoint { RequestDelegate: not null, Metadata: var metadata }
        && metadata.GetMetadata<INativeThreadPoolMetadata>() is null
        && metadata.GetMetadata<IDynamicEndpointMetadata>() is not { IsDynamic: true };

    private RouteEndpoint Measured(RouteEndpoint endpoint) => new(
        new MeasuredDelegate(requests, requests.Of(endpoint), endpoint.RequestDelegate!).InvokeAsync,
        endpoint.RoutePattern,
        endpoint.Order,
        endpoint.Metadata,
        endpoint.DisplayName);

    private sealed class OneWay(int destination) : PolicyJumpTable
    {
        public override int GetDestination(HttpContext httpContext) => destination;
    }
}
