namespace NativeThreading.AspNetCore;

/// <summary>Runs the requests of an action, a controller's actions or a route handler, or the calls of a SignalR hub or of one of its methods, on a
/// pool: <c>[RunOnNativeThreadPool("reports")]</c>.</summary>
/// <remarks>It has the effect of <c>RunOnNativeThreadPool("reports")</c> on the endpoint, and needs the services of
/// <c>AddNativeThreadPoolEndpoints</c>, which <c>AddNativeThreadPool</c> adds. The attribute of an action takes precedence over that of its
/// controller. The attribute of a hub's method takes precedence over that of the hub, and over <c>RunOnNativeThreadPool</c> on its
/// endpoint.</remarks>
/// <example>
/// <code>
/// app.MapGet("/report", [RunOnNativeThreadPool("reports")] () =&gt; Report());
/// </code>
/// </example>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class RunOnNativeThreadPoolAttribute : Attribute, INativeThreadPoolMetadata
{
    /// <summary>Creates the attribute.</summary>
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

/// <summary>Endpoint metadata that names the pool on which the requests of an endpoint run. If an endpoint has several, the last one counts.</summary>
/// <example>
/// <code>
/// string? pool = endpoint.Metadata.GetMetadata&lt;INativeThreadPoolMetadata&gt;()?.PoolName;
/// </code>
/// </example>
public interface INativeThreadPoolMetadata
{
    /// <summary>Gets the name under which the pool is registered.</summary>
    string PoolName { get; }
}
