namespace NativeThreading.Tracing;

/// <summary>The pools of the process, for metrics, events and observers. It keeps none of them alive.</summary>
internal static class PoolRegistry
{
    private static readonly WeakList<NativeThreadPool> s_pools = new();

    /// <summary>A snapshot of the pools, including stopped ones that are still referenced.</summary>
    public static List<NativeThreadPool> Pools => s_pools.Items;

    /// <inheritdoc cref="WeakList{T}.Add"/>
    public static int Add(NativeThreadPool pool) => s_pools.Add(pool);
}
