using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>Recognizes the endpoints of hubs. Their requests stay where they are; the hub filter runs their calls on the pool.</summary>
internal static class HubEndpoints
{
    /// <summary>Whether the endpoint is one of the two that a hub has.</summary>
    /// <exception cref="InvalidOperationException">
    /// The pool does not exist, the hub filter is not registered, or the endpoint's connections have no hub.
    /// </exception>
    public static bool Is(IServiceProvider services, IEnumerable<object> metadata, string poolName, string user)
    {
        if (!metadata.OfType<HubMetadata>().Any())
        {
            return metadata.OfType<NegotiateMetadata>().Any()
                ? throw new InvalidOperationException(
                    $"{user}: RunOnNativeThreadPool does not support MapConnectionHandler or MapConnections. Remove it, and call 'await pool.SwitchTo()' in the handler, with the pool '{poolName}'.")
                : false;
        }

        PoolRequests.Pool(services, poolName, user);
        return services.GetService<PoolHubFilter>() is null
            ? throw new InvalidOperationException(
                $"{user} is a hub, but the service that runs its calls on pool '{poolName}' is not registered. Call services.AddNativeThreadPoolEndpoints().")
            : true;
    }

    /// <summary>Checks the pools that the attributes of a hub's methods name.</summary>
    /// <exception cref="InvalidOperationException">One of these pools does not exist.</exception>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "MapHub keeps the public methods of its hub.")]
    public static void Check(IServiceProvider services, Type hub)
    {
        foreach (MethodInfo method in hub.GetMethods(BindingFlags.Public | BindingFlags.Instance))
        {
            if (PoolOf(method) is { } poolName)
            {
                PoolRequests.Pool(services, poolName, $"The hub method '{hub.Name}.{method.Name}'");
            }
        }
    }

    public static string? PoolOf(MethodInfo method) =>
        method.GetCustomAttributes(inherit: true).OfType<INativeThreadPoolMetadata>().LastOrDefault()?.PoolName;
}
