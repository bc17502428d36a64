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
    /// <summary>Carries Kestrel's TCP and Unix domain connections on event loops of NativeThreading:
    /// <c>builder.WebHost.UseNativeTransport()</c>.</summary>
    /// <remarks>By default an endpoint starts on a pool, and runs on the loops when the transport has measured that it is short;
    /// <see cref="NativeTransportOptions.Requests"/> changes that. A handler that blocks never delays other connections for long. If the native core
    /// is missing, the log has one warning, and Kestrel's own sockets are used. HTTP/3 and named pipes keep their transports. Call it while the
    /// application is built, after <c>UseKestrel</c> and <c>UseSockets</c> if you call these, because Kestrel uses the last of several transports. A
    /// second call has no effect.</remarks>
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
    /// <param name="configure">A function that sets the options.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IWebHostBuilder UseNativeTransport(this IWebHostBuilder builder, Action<NativeTransportOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return builder.UseNativeTransport().ConfigureServices(services => services.Configure(configure));
    }
}
