using NativeThreading.Waiting;

namespace NativeThreading.Diagnostics;

/// <summary>Tells pools whether somebody watches their items: a trace, an observer, or their own histogram.</summary>
internal static class WatchedItems
{
    // Who changes a reason calls here afterwards. So the last call sees all reasons.
    private static readonly UninterruptedLock s_lock = new();

    public static void Update(NativeThreadPool pool)
    {
        using var held = s_lock.EnterScope();
        pool.TimeItems(pool.MeasuresQueueDuration || NativeThreadingEventSource.Log.TracesItems || Observation.IsActive);
    }

    /// <summary>For the pools that exist. One that is created later asks for itself.</summary>
    public static void UpdateAll() => PoolRegistry.Pools.ForEach(Update);
}
