namespace NativeThreading.AspNetCore;

/// <summary>Runs the requests of an action, a controller's actions or a route handler, or the calls of a SignalR hub or of one of its methods, on a
/// pool: <c>[RunOnNativeThreadPool("reports")]</c>.</summary>
/// <remarks>Does what <c>RunOnNativeThreadPool("reports")</c> does on the endpoint, and needs the services of <c>AddNativeThreadPoolEndpoints</c>,
/// which come with every pool. An attribute of an action goes before that of its controller, that of a hub's method before the hub's and before
/// <c>RunOnNativeThreadPool</c> on its endpoint.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class RunOnNativeThreadPoolAttribute : Attribute, INativeThreadPoolMetadata
{
    /// <summary>Names the pool.</summary>
    /// <param name="poolName">The name under which the pool is registered.</param>
    /// <exception cref="ArgumentException"><paramref name="poolName"/> is null, empty or white space.</exception>
    public RunOnNativeThreadPoolAttribute(string poolName)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName);
        PoolName = poolName;
    }

    /// <inheritdoc/>
    public string PoolName { get; }
}

/// <summary>Endpoint metadata: the pool that an endpoint's requests run on. The last one of an endpoint counts.</summary>
public interface INativeThreadPoolMetadata
{
    /// <summary>The name under which the pool is registered.</summary>
    string PoolName { get; }
}
