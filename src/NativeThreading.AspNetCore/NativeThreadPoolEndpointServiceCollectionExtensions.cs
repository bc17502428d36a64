using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection.Extensions;
using NativeThreading.AspNetCore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the services that endpoints on pools need.</summary>
/// <example>
/// <code>
/// services.AddNativeThreadPoolEndpoints(options =&gt; options.RetryAfter = TimeSpan.FromSeconds(5));
/// </code>
/// </example>
public static class NativeThreadPoolEndpointServiceCollectionExtensions
{
    /// <summary>Checks when the application starts that each endpoint's pool exists, and makes <see cref="RunOnNativeThreadPoolAttribute"/> and pools
    /// of SignalR's hubs work. <c>AddNativeThreadPool</c> calls this. Call it in applications that register their pools in another way. May be called
    /// more than once.</summary>
    /// <param name="services">The services.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    public static IServiceCollection AddNativeThreadPoolEndpoints(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddOptions();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IStartupFilter, PoolEndpointCheck>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, PoolEndpointPolicy>());
        services.TryAddSingleton<RejectionLogs>();
        PoolHubOptions.AddTo(services);
        return services;
    }

    /// <summary>As <see cref="AddNativeThreadPoolEndpoints(IServiceCollection)"/>, with options for all pools.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">A function that sets the options of every pool; for one pool, configure the options of its name.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddNativeThreadPoolEndpoints(this IServiceCollection services, Action<NativeThreadPoolRequestOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddNativeThreadPoolEndpoints().ConfigureAll(configure);
    }
}
