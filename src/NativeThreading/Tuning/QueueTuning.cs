using System.Diagnostics;

namespace NativeThreading.Tuning;

/// <summary>How large queues are and how much moves between them. See <see cref="SpinTuning"/> for the form.</summary>
internal static class QueueTuning
{
    /// <summary>Items that a worker takes from a shard at most: enough to pay for the transfer, few enough to be fair. Row: quwi, global.</summary>
    public const int ShardBatch = 32;

    /// <summary>The most shards of an injector queue, which has one for each processor up to this number. Each costs every scan of an idle worker a
    /// cache line.
    /// Unproven beyond two processors.</summary>
    public const int MostShards = 16;

    /// <summary>Items in a segment of a shard, 16 KB of slots and 8 KB of contexts. Row: xtask, fan-out/10000.</summary>
    public const int SegmentSize = 1024;

    /// <summary>Empty segments that a shard keeps: 6 MB, a backlog of a quarter of a million items. Row: allocation, from=outside.</summary>
    public const int SpareSegments = 256;

    /// <summary>The fewest items of one call from outside that become a range. The entry of a range costs its producer as much as a few
    /// items. Row: xtask, batch/1000.</summary>
    public const int ShortestRange = 16;

    /// <summary>The most items of a range; further items become another range. So the states are in an array of 64 KB, which is not too large
    /// for the youngest generation. Row: xtask, batch/10000.</summary>
    public const int LongestRange = 8_192;

    /// <summary>Items that a worker's queue holds before it grows for the first time, 3 KB. Row: allocation, from=worker.</summary>
    public const int RingCapacity = 128;

    /// <summary>The most local items that a thief gets. Half of a long queue would be fairer, but the owner moves them itself, and the thief waits
    /// for
    /// it, or the owner waits for a thief that has entered by force. Row: skynet, items. Unproven beyond two processors.</summary>
    public const int LocalSteal = 128;

    /// <summary>The fewest items that an owner has when it gives some from a push: a thief that asks while the first of many are pushed gets several
    /// at once. Row: skynet, items; xtask.</summary>
    public const int LeastToGiveFromPush = 2;

    /// <summary>Weak references of a worker's open operations, when there are any. No row shows it.</summary>
    public const int FirstWeakOperations = 64;

    /// <summary>The most items of one key that a turn runs, for each unit of weight. They share one item of the pool. Row: keyed.</summary>
    public const int TurnItems = 64;

    /// <summary>Ticks after which a turn of a key passes to others, for each unit of weight: 50 us, several times the cost of a turn. Row:
    /// keyed.</summary>
    public static readonly long TurnTicks = Stopwatch.Frequency / 20_000;

    /// <summary>Items in the first segment of a key that has more than one. Row: keyed.</summary>
    public const int LeastKeyedSegment = 4;

    /// <summary>Items in the largest segments of a key, 6 KB, of which an active key keeps two. Row: keyed.</summary>
    public const int MostKeyedSegment = 256;

    /// <summary>
    /// The logarithm of the most shards of a map of keys, which has four for each processor. Each is a lock and a dictionary. Unproven beyond two
    /// processors.
    /// </summary>
    public const int MostKeyShardBits = 8;

    /// <summary>Keys of a shard whose dictionary is kept when the shard is empty, 30 KB. No row shows it.</summary>
    public const int KeptKeys = 1024;
}
