using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Kestrel.Transport;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Runs Kestrel's connections on event loops.</summary>
/// <example>
/// <code>
/// builder.WebHost.UseNativeTransport();
/// </code>
/// </example>
public static class NativeTransportWebHostBuilderExtensions
{
    /// <summary>Carries Kestrel's TCP and Unix domain connections by event loops of their own: <c>builder.WebHost.UseNativeTransport()</c>.</summary>
    /// <remarks>Endpoints begin on a pool, and run on the loops once they were proven short; <see cref="NativeTransportOptions.Requests"/> says
    /// otherwise. In no case does a handler that blocks hold up connections of others for long. Where the native core is missing, one warning says so
    /// and Kestrel's own sockets are used. HTTP/3 and named pipes stay with their transports. Call it while the application is built, behind
    /// <c>UseKestrel</c> and <c>UseSockets</c> where these are called: of several transports Kestrel takes the last one. To call it twice is to call
    /// it once.</remarks>
    /// <param name="builder">The web host.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static IWebHostBuilder UseNativeTransport(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static services =>
        {
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, NativeTransportFactory>());
            services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, AdaptiveEndpointPolicy>());
            services.TryAddSingleton<AdaptiveRequests>();
            if (!services.Any(static service => service.ServiceType == typeof(IStartupFilter) && service.ImplementationType == typeof(RequestFilter)))
            {
                services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, RequestFilter>()); // around all others
            }
        });
    }

    /// <summary>As <see cref="UseNativeTransport(IWebHostBuilder)"/>, with options.</summary>
    /// <param name="builder">The web host.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IWebHostBuilder UseNativeTransport(this IWebHostBuilder builder, Action<NativeTransportOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return builder.UseNativeTransport().ConfigureServices(services => services.Configure(configure));
    }
}
