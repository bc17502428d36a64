using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Routing;
using NativeThreading.Dashboard;
using NativeThreading.Dashboard.Endpoints;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Adds the live page of pools and event loops to an application.</summary>
/// <example>
/// <code>
/// app.MapNativeThreading().RequireAuthorization("operators");
/// </code>
/// </example>
public static class NativeThreadingDashboardEndpointRouteBuilderExtensions
{
    /// <summary>Maps a page that shows what the threads of all pools and event loops of the process do, with its JSON:
    /// <c>app.MapNativeThreading().RequireAuthorization("Ops")</c>.</summary>
    /// <remarks>
    /// <para>Without an authorization policy, or <c>AllowAnonymous</c>, the page is served in Development only, and other environments answer with
    /// 404. The log reports this at startup. The policy of the returned builder applies to the page and to everything below it.</para>
    /// <para>One sample a second is taken for the history (<see cref="DashboardOptions.History"/>) and for all viewers of the application. Items are
    /// recorded only while a viewer has the page open. The pages "Observe" and "JSON of
    /// the live page" of the documentation describe its contents.</para>
    /// </remarks>
    /// <param name="endpoints">The endpoints of the application.</param>
    /// <param name="pattern">The path of the page. The JSON is below it, under <c>api/v1</c>.</param>
    /// <param name="configure">A function that sets the options. It is called once, during this call.</param>
    /// <returns>A builder for conventions of all endpoints of the page: authorization, host names, rate limits.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="endpoints"/> or <paramref name="pattern"/> is null.</exception>
    public static IEndpointConventionBuilder MapNativeThreading(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/threads", Action<DashboardOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var options = new DashboardOptions();
        configure?.Invoke(options);
        return DashboardEndpoints.Map(endpoints, pattern, options);
    }
}
