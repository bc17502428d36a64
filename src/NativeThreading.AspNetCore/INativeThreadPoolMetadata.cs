namespace NativeThreading.AspNetCore;

/// <summary>Endpoint metadata: the pool that an endpoint's requests run on. The last one of an endpoint counts.</summary>
public interface INativeThreadPoolMetadata
{
    /// <summary>The name under which the pool is registered.</summary>
    string PoolName { get; }
}
