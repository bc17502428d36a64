using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace NativeThreading.SoakProgram;

/// <summary>Counts by name. Thread-safe.</summary>
internal sealed class Tally
{
    private readonly ConcurrentDictionary<string, StrongBox<long>> _counts = [];

    public long this[string name] => _counts.TryGetValue(name, out StrongBox<long>? count) ? Volatile.Read(ref count.Value) : 0;

    public IReadOnlyList<KeyValuePair<string, long>> All =>
        [.. _counts.Select(static c => KeyValuePair.Create(c.Key, Volatile.Read(ref c.Value.Value))).OrderBy(static c => c.Key, StringComparer.Ordinal)];

    public void Add(string name, long count = 1) =>
        Interlocked.Add(ref _counts.GetOrAdd(name, static _ => new StrongBox<long>()).Value, count);
}
