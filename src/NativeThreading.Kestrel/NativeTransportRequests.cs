namespace NativeThreading.Kestrel;

/// <summary>Where requests run whose connections the native transport carries.</summary>
public enum NativeTransportRequests
{
    /// <summary>By what is learned of them, which is the default: an endpoint begins on a pool, runs on the loop of its connection once it was proven
    /// short, and goes back to the pool when it blocks or computes. One whose awaits complete alone on the built-in pool, as those of a database,
    /// continues there. All code outside of endpoints is learned as one.</summary>
    Adaptive,

    /// <summary>On the loop of their connection, whatever they do.</summary>
    Loops,

    /// <summary>On the pool that <see cref="NativeTransportOptions.PoolName"/> names.</summary>
    Pool,

    /// <summary>On the built-in pool, as with Kestrel's own sockets.</summary>
    RuntimePool,
}
