using NativeThreading.Platform;

namespace NativeThreading.Tracing;

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
