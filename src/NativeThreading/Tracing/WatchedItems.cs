using NativeThreading.Platform;

namespace NativeThreading.Tracing;

/// <summary>Tells pools whether somebody watches their items: a trace, an observer, or their own histogram.</summary>
internal static class WatchedItems
{
    // Who changes a reason calls here afterwards. So the last call sees all reasons.
    private static readonly UninterruptedLock s_lock = new();

    public static void Update(NativeThreadPool pool)
    {
        // The source comes before the lock: to create it takes the runtime's lock of listeners, under which listeners call here. It is
        // null for one that is enabled while the source is created; a pool that waits for that asks again behind it.
        NativeThreadingEventSource? source = NativeThreadingEventSource.Log;
        using var held = s_lock.EnterScope();
        pool.TimeItems(pool.MeasuresQueueDuration || source is { TracesItems: true } || Observation.IsActive);
    }

    /// <summary>For the pools that exist. One that is created later asks for itself.</summary>
    public static void UpdateAll() => PoolRegistry.Pools.ForEach(Update);
}
