using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Matching;

namespace NativeThreading.AspNetCore;

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
