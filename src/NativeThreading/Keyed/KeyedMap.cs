using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using NativeThreading.Platform;

namespace NativeThreading.Keyed;

/// <summary>The lines of the keys that have items, in shards with a lock each.</summary>
/// <remarks>
/// A producer finds its line and pushes under the lock, and an idle line is removed under the lock. So no item enters a line that has been removed. A
/// dictionary never shrinks, so a shard that is empty drops a large one.
/// </remarks>
internal sealed class KeyedMap<TKey>
    where TKey : notnull
{
    private readonly IEqualityComparer<TKey> _comparer;
    private readonly Shard[] _shards;
    private readonly int _shift;

    public KeyedMap(IEqualityComparer<TKey>? comparer)
    {
        _comparer = comparer ?? EqualityComparer<TKey>.Default;
        int bits = Math.Min(BitOperations.Log2((uint)Environment.ProcessorCount) + 2, QueueTuning.MostKeyShardBits);
        _shift = 32 - bits;
        _shards = new Shard[1 << bits];
        for (int i = 0; i < _shards.Length; i++)
        {
            _shards[i] = new Shard(comparer);
        }
    }

    public int Count => _shards.Sum(static shard => shard.Count);

    /// <summary>Pushes an item into the line of its key; <see langword="false"/> if there is none.</summary>
    public bool TryPush(TKey key, KeyedItem item, [NotNullWhen(true)] out KeyedLine? line, out Pushed pushed) => ShardOf(key).TryPush(key, item, out line, out pushed);

    /// <summary>Pushes an item into a new line, or into the line that another producer has added meanwhile.</summary>
    public void Push(TKey key, KeyLine<TKey> newLine, KeyedItem item, out KeyedLine line, out Pushed pushed) => ShardOf(key).Push(key, newLine, item, out line, out pushed);

    /// <summary>Removes a line unless it has items again.</summary>
    public void Remove(KeyLine<TKey> line) => ShardOf(line.Key).Remove(line);

    private Shard ShardOf(TKey key) => _shards[((uint)_comparer.GetHashCode(key) * 2_654_435_769) >> _shift];

    private sealed class Shard(IEqualityComparer<TKey>? comparer)
    {
        private readonly UninterruptedLock _lock = new();
        private Dictionary<TKey, KeyLine<TKey>> _lines = new(comparer);
        private int _most; // lines at once, since the dictionary was created

        public int Count
        {
            get
            {
                using (_lock.EnterScope())
                {
                    return _lines.Count;
                }
            }
        }

        public bool TryPush(TKey key, KeyedItem item, [NotNullWhen(true)] out KeyedLine? line, out Pushed pushed)
        {
            using (_lock.EnterScope())
            {
                if (_lines.TryGetValue(key, out KeyLine<TKey>? found))
                {
                    (line, pushed) = (found, Push(found, item));
                    return true;
                }
            }

            (line, pushed) = (null, default);
            return false;
        }

        public void Push(TKey key, KeyLine<TKey> newLine, KeyedItem item, out KeyedLine line, out Pushed pushed)
        {
            using (_lock.EnterScope())
            {
                KeyLine<TKey> found = _lines.GetValueOrDefault(key, newLine);
                (line, pushed) = (found, Push(found, item));
                if (found == newLine && pushed == Pushed.NeedsTurn)
                {
                    _lines.Add(key, newLine); // not for an item that its token has cancelled: no turn would remove the line
                    _most = Math.Max(_most, _lines.Count);
                }
            }
        }

        public void Remove(KeyLine<TKey> line)
        {
            using (_lock.EnterScope())
            {
                Chaos.Point("Shard.Remove");
                if (!line.IsIdle || !_lines.TryGetValue(line.Key, out KeyLine<TKey>? found) || found != line)
                {
                    return;
                }

                _lines.Remove(line.Key);
                if (_lines.Count == 0 && _most > QueueTuning.KeptKeys)
                {
                    _lines = new Dictionary<TKey, KeyLine<TKey>>(comparer);
                    _most = 0;
                }
            }
        }

        private static Pushed Push(KeyLine<TKey> line, KeyedItem item)
        {
            if (item.IsCall)
            {
                KeyedItem.ThrowIfInside(line);
            }

            return line.Push(item);
        }
    }
}

/// <summary>The line of a key.</summary>
internal sealed class KeyLine<TKey>(KeyedMap<TKey> map, TKey key, KeyedTarget target, int most, int limit, int weight)
    : KeyedLine(target, most, limit, weight)
    where TKey : notnull
{
    public TKey Key => key;

    public override string ToString() => $"key '{key}' on {Target.Scheduler.Name}";

    protected override void Idle() => map.Remove(this);
}
