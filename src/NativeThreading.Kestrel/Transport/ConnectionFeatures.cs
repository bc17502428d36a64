using System.Collections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace NativeThreading.Kestrel.Transport;

/// <summary>The features of a connection. The connection itself implements the initial ones. A short list contains those that other code has set,
/// also if they replace an initial one: a dictionary took hundreds of bytes of each idle connection. Like other feature collections, it may be
/// changed by one thread at a time.</summary>
internal sealed class ConnectionFeatures(LoopConnection connection) : IFeatureCollection
{
    private static readonly Type[] s_own =
    [
        typeof(IConnectionSocketFeature), typeof(IConnectionLifetimeFeature), typeof(IConnectionTransportFeature), typeof(IMemoryPoolFeature),
        typeof(IConnectionIdFeature), typeof(IConnectionItemsFeature), typeof(IConnectionEndPointFeature),
    ];

    private KeyValuePair<Type, object?>[] _set = []; // a null value: the feature was removed
    private int _count;

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public object? this[Type key]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(key);
            return IndexOf(key) is >= 0 and var index ? _set[index].Value : s_own.Contains(key) ? connection : null;
        }

        set
        {
            ArgumentNullException.ThrowIfNull(key);
            int index = IndexOf(key);
            if (index < 0)
            {
                if (value is null && !s_own.Contains(key))
                {
                    return;
                }

                index = _count++;
                if (index == _set.Length)
                {
                    Array.Resize(ref _set, Math.Max(4, 2 * index));
                }
            }

            _set[index] = new KeyValuePair<Type, object?>(key, value);
            Revision++;
        }
    }

    public TFeature? Get<TFeature>() => (TFeature?)this[typeof(TFeature)];

    public void Set<TFeature>(TFeature? instance) => this[typeof(TFeature)] = instance;

    public IEnumerator<KeyValuePair<Type, object>> GetEnumerator() => s_own
        .Where(key => IndexOf(key) < 0)
        .Select(key => new KeyValuePair<Type, object>(key, connection))
        .Concat(_set.Take(_count).Where(static feature => feature.Value is not null).Select(static feature => new KeyValuePair<Type, object>(feature.Key, feature.Value!)))
        .GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

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
