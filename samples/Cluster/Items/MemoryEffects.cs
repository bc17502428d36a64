using System.Collections.Concurrent;

namespace NativeThreading.Samples.Cluster;

/// <summary>The effects of one node without a database.</summary>
internal sealed class MemoryEffects : IEffects
{
    private readonly ConcurrentDictionary<string, int> _attempts = new(StringComparer.Ordinal);
    private int _effects;

    public int Count => Volatile.Read(ref _effects);

    public Account Account(int items) => new(items, Count, items - _attempts.Count, Count - _attempts.Count, _attempts.Values.Sum() - _attempts.Count);

    public Task ApplyAsync(string key, CancellationToken cancellationToken)
    {
        if (_attempts.AddOrUpdate(key, 1, static (_, attempts) => attempts + 1) == 1)
        {
            Interlocked.Increment(ref _effects);
        }

        return Task.CompletedTask;
    }
}
