using System.Numerics;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Keyed;

/// <summary>The lines of the keys that have items, in shards with a lock each.</summary>
/// <remarks>
/// A producer finds its line and pushes under the lock. The last turn of a line ends under the lock, and removes the line. So no item enters a line that
/// has been removed. A dictionary never shrinks, so a shard that is empty drops a large one.
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

    /// <summary>Pushes an item into the line of its key, or into the new line if there is no line yet.</summary>
    /// <returns>The line, or <see langword="null"/> if there is none.</returns>
    /// <inheritdoc cref="KeyedLine.Push"/>
    public KeyLine<TKey>? Push(TKey key, KeyLine<TKey>? newLine, in WorkItem work, out bool isFull, out KeyedItem? starter) =>
        ShardOf(key).Push(key, newLine, work, out isFull, out starter);

    /// <summary>The lock of the lines of a key's shard.</summary>
    public UninterruptedLock LockOf(TKey key) => ShardOf(key).Lock;

    /// <summary>Removes a line. The caller holds its lock.</summary>
    public void Remove(KeyLine<TKey> line) => ShardOf(line.Key).Remove(line);

    private Shard ShardOf(TKey key) => _shards[((uint)_comparer.GetHashCode(key) * 2_654_435_769) >> _shift];

    private sealed class Shard(IEqualityComparer<TKey>? comparer)
    {
        private Dictionary<TKey, KeyLine<TKey>> _lines = new(comparer);
        private int _most; // lines at once, since the dictionary was created

        public UninterruptedLock Lock { get; } = new();

        public int Count
        {
            get
            {
                using (Lock.EnterScope())
                {
                    return _lines.Count;
                }
            }
        }

        public KeyLine<TKey>? Push(TKey key, KeyLine<TKey>? newLine, in WorkItem work, out bool isFull, out KeyedItem? starter)
        {
            using (Lock.EnterScope())
            {
                if (_lines.TryGetValue(key, out KeyLine<TKey>? line))
                {
                    isFull = !line.Push(work, out starter);
                    return line;
                }

                starter = null;
                isFull = newLine?.Push(work, out starter) == false;
                if (starter is not null)
                {
                    _lines.Add(key, newLine!); // not for an item that its token has cancelled: no turn would remove the line
                    _most = Math.Max(_most, _lines.Count);
                }

                return newLine;
            }
        }

        public void Remove(KeyLine<TKey> line)
        {
            Chaos.Point("Shard.Remove");
            if (!_lines.TryGetValue(line.Key, out KeyLine<TKey>? found) || found != line)
            {
                return; // there was no memory to add it
            }

            _lines.Remove(line.Key);
            if (_lines.Count == 0 && _most > QueueTuning.KeptKeys)
            {
                _lines = new Dictionary<TKey, KeyLine<TKey>>(comparer);
                _most = 0;
            }
        }
    }
}

/// <summary>The line of a key.</summary>
internal sealed class KeyLine<TKey>(KeyedMap<TKey> map, TKey key, KeyedTarget target, int most, int limit, int weight)
    : KeyedLine(target, map.LockOf(key), most, limit, weight)
    where TKey : notnull
{
    public TKey Key => key;

    public override string ToString() => $"key '{key}' on {Target.Scheduler.Name}";

    protected override void OnIdle() => map.Remove(this);
}
