using NativeThreading.Waiting;

namespace NativeThreading.Diagnostics;

/// <summary>The pools of the process, for metrics and events. It keeps none of them alive.</summary>
internal static class PoolRegistry
{
    private static readonly UninterruptedLock s_lock = new();
    private static readonly List<WeakReference<NativeThreadPool>> s_pools = [];

    /// <summary>A snapshot of the pools, including stopped ones that are still referenced.</summary>
    public static List<NativeThreadPool> Pools
    {
        get
        {
            var pools = new List<NativeThreadPool>();
            using (s_lock.EnterScope())
            {
                foreach (WeakReference<NativeThreadPool> reference in s_pools)
                {
                    if (reference.TryGetTarget(out NativeThreadPool? pool))
                    {
                        pools.Add(pool);
                    }
                }
            }

            return pools;
        }
    }

    public static void Add(NativeThreadPool pool)
    {
        using var held = s_lock.EnterScope();
        s_pools.RemoveAll(static reference => !reference.TryGetTarget(out _));
        s_pools.Add(new WeakReference<NativeThreadPool>(pool));
    }
}
