using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace NativeThreading.AspNetCore;

/// <summary>Adds the filter to all hubs.</summary>
internal sealed class PoolHubOptions(PoolHubFilter filter) : IConfigureOptions<HubOptions>
{
    /// <summary>
    /// Inserted before all other options. The first filter is the outermost, so the filters of the application run on the pool.
    /// </summary>
    public static void AddTo(IServiceCollection services)
    {
        if (services.All(static service => service.IsKeyedService || service.ImplementationType != typeof(PoolHubOptions)))
        {
            services.Insert(0, ServiceDescriptor.Singleton<IConfigureOptions<HubOptions>, PoolHubOptions>());
            services.AddSingleton<PoolHubFilter>();
        }
    }

    public void Configure(HubOptions options) => options.AddFilter(filter);
}
