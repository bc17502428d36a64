using System.Collections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// The features of a connection. Those that it has from the beginning are the connection itself, and take no room. What others set stands in a
/// short list, also where it replaces one of those: a dictionary took hundreds of bytes of each idle connection. As other collections of
/// features, it is for one thread at a time where one changes it.
/// </summary>
internal sealed class ConnectionFeatures(LoopConnection connection) : IFeatureCollection
{
    private static readonly Type[] s_own =
    [
        typeof(IConnectionSocketFeature),
        typeof(IConnectionLifetimeFeature),
        typeof(IConnectionTransportFeature),
        typeof(IMemoryPoolFeature),
        typeof(IConnectionIdFeature),
        typeof(IConnectionItemsFeature),
        typeof(IConnectionEndPointFeature),
    ];

    private KeyValuePair<Type, object?>[] _set = []; // null: it was taken away
    private int _count;

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public object? this[Type key]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(key);
            return IndexOf(key) is >= 0 and var index ? _set[index].Value : IsOwn(key) ? connection : null;
        }

        set
        {
            ArgumentNullException.ThrowIfNull(key);
            int index = IndexOf(key);
            if (index < 0)
            {
                if (value is null && !IsOwn(key))
                {
                    return;
                }

                index = _count;
                if (index == _set.Length)
                {
                    Array.Resize(ref _set, Math.Max(4, 2 * index));
                }
            }

            _set[index] = new KeyValuePair<Type, object?>(key, value);
            _count = Math.Max(_count, index + 1);
            Revision++;
        }
    }

    public TFeature? Get<TFeature>() => (TFeature?)this[typeof(TFeature)];

    public void Set<TFeature>(TFeature? instance) => this[typeof(TFeature)] = instance;

    public IEnumerator<KeyValuePair<Type, object>> GetEnumerator()
    {
        foreach (Type key in s_own)
        {
            if (IndexOf(key) < 0)
            {
                yield return new KeyValuePair<Type, object>(key, connection);
            }
        }

        for (int index = 0; index < _count; index++)
        {
            if (_set[index].Value is { } feature)
            {
                yield return new KeyValuePair<Type, object>(_set[index].Key, feature);
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static bool IsOwn(Type key)
    {
        foreach (Type own in s_own)
        {
            if (own == key)
            {
                return true;
            }
        }

        return false;
    }

    private int IndexOf(Type key)
    {
        for (int index = _count - 1; index >= 0; index--)
        {
            if (_set[index].Key == key)
            {
                return index;
            }
        }

        return -1;
    }
}
