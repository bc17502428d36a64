using NativeThreading.Platform;

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

/// <summary>Tells pools whether their items are watched: a trace, an observer, or their own histogram.</summary>
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
        pool.TimeItems(pool.MeasuresQueueDuration || source is { TracesItems: true } || pool.RecordsAllItems || pool.ObservesWork || Observation.RecordsItems);
    }

    /// <summary>For the pools that exist. One that is created later asks for itself.</summary>
    public static void UpdateAll() => PoolRegistry.Pools.ForEach(Update);
}

/// <summary>Objects in the order of their creation, with a number each. It keeps none of them alive. Any thread.</summary>
internal sealed class WeakList<T>
    where T : class
{
    private readonly UninterruptedLock _lock = new();
    private readonly List<WeakReference<T>> _references = [];
    private int _last;

    /// <summary>A snapshot of those that are still referenced.</summary>
    public List<T> Items
    {
        get
        {
            var items = new List<T>();
            using (_lock.EnterScope())
            {
                foreach (WeakReference<T> reference in _references)
                {
                    if (reference.TryGetTarget(out T? item))
                    {
                        items.Add(item);
                    }
                }
            }

            return items;
        }
    }

    /// <summary>Returns the number of the new one, from 1.</summary>
    public int Add(T item)
    {
        using var held = _lock.EnterScope();
        _references.RemoveAll(static reference => !reference.TryGetTarget(out _));
        _references.Add(new WeakReference<T>(item));
        return ++_last;
    }
}
