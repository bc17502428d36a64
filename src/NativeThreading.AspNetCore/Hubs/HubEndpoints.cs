using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>
/// Recognizes the endpoints of hubs. Their requests stay where they are, and the filter takes their calls to the pool.
/// </summary>
internal static class HubEndpoints
{
    /// <summary>Whether the endpoint is one of the two that a hub has.</summary>
    /// <exception cref="InvalidOperationException">
    /// The pool does not exist, no filter would take the calls to it, or the connection has no hub.
    /// </exception>
    public static bool Is(IServiceProvider services, IEnumerable<object> metadata, string poolName, string user)
    {
        if (!metadata.OfType<HubMetadata>().Any())
        {
            return metadata.OfType<NegotiateMetadata>().Any()
                ? throw new InvalidOperationException(
                    $"""{user} is one of MapConnectionHandler or MapConnections, whose connections leave every pool when they begin: RunOnNativeThreadPool has no effect on it. In the handler, await pool.SwitchTo() of the pool "{poolName}".""")
                : false;
        }

        PoolRequests.Pool(services, poolName, user);
        return services.GetService<PoolHubFilter>() is null
            ? throw new InvalidOperationException(
                $"""{user} is a hub's, and its calls are to run on the native thread pool "{poolName}": services.AddNativeThreadPoolEndpoints() puts them there.""")
            : true;
    }

    /// <summary>Checks the pools that the attributes of a hub's methods name.</summary>
    /// <exception cref="InvalidOperationException">One does not exist.</exception>
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
