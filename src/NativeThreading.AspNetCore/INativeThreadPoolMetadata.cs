namespace NativeThreading.AspNetCore;

/// <summary>Endpoint metadata: the pool that an endpoint's requests run on. Of several the last one counts.</summary>
public interface INativeThreadPoolMetadata
{
    /// <summary>The name under which the pool is registered.</summary>
    string PoolName { get; }
}
