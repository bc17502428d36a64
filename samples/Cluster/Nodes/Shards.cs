namespace NativeThreading.Samples.Cluster;

/// <summary>
/// What several schedulers share: each has its part of the items, for good, and a row of its own that its nodes lock. Every node runs
/// all of them.
/// </summary>
internal static class Shards
{
    /// <summary>All schedulers of this name in a database are one cluster.</summary>
    public static string Name(int shard) => $"cluster-{shard + 1}";

    public static string[] Names(int schedulers) => [.. Enumerable.Range(0, schedulers).Select(Name)];

    /// <summary>The shard of an item. A process that schedules it again must find the same one, in another process, too: string.GetHashCode would not.</summary>
    public static int Of(string key, int schedulers)
    {
        uint hash = 2_166_136_261; // FNV-1a
        foreach (char part in key)
        {
            hash = (hash ^ part) * 16_777_619;
        }

        return (int)(hash % (uint)schedulers);
    }

    /// <summary>A shard's part of something of which the node has so much for all its schedulers; the parts differ by 1 at most.</summary>
    public static int PartOf(int whole, int shard, int schedulers) => (whole + schedulers - 1 - shard) / schedulers;
}
