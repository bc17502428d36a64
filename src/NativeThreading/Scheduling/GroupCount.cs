using System.Numerics;
using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>How many items were queued to a group, and how many of them have completed. Both only grow.</summary>
/// <remarks>
/// <para>Threads that queue at the same time count on cache lines of their own: one count for all would go from processor to processor
/// with each item. The first thread has a place from the beginning, and the others come to theirs when there are any.</para>
/// <para>All have completed when both counts are equal. No lock is needed for that: an item is counted before it is published, so
/// the thread that sees it counted as completed sees it counted as queued. A reader reads the completed count first. The queued counts that it then adds up
/// are at least those of that moment, which are at least the completed count. So if the sums are equal, all items had completed
/// at that moment.</para>
/// </remarks>
internal struct GroupCount
{
    private static readonly int s_places = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, QueueTuning.MostShards));

    private int _firstThread; // 0 until an item comes
    private OwnCounter _queuedByFirst;
    private OwnCounter[]? _queuedByOthers; // by the thread's number
    private OwnCounter _ended;

    /// <summary>Whether all queued items had completed at some moment of this call.</summary>
    public readonly bool IsDone => IsAll(Volatile.Read(in _ended.Value));

    /// <summary>Items that have not completed. Never less than the lowest number during the call.</summary>
    public readonly long Pending
    {
        get
        {
            long ended = Volatile.Read(in _ended.Value); // first: see the remarks
            Chaos.Point("GroupCount.Pending, ended ones read");
            return Queued - ended;
        }
    }

    private readonly long Queued
    {
        get
        {
            long sum = Volatile.Read(in _queuedByFirst.Value);
            if (Volatile.Read(in _queuedByOthers) is { } others)
            {
                foreach (ref OwnCounter other in others.AsSpan())
                {
                    sum += Volatile.Read(ref other.Value);
                }
            }

            return sum;
        }
    }

    /// <summary>Counts items that are about to be published. May run out of memory, and then counts none.</summary>
    public void Add(int count)
    {
        int thread = Environment.CurrentManagedThreadId;
        int first = Volatile.Read(ref _firstThread);
        if (first == thread || (first == 0 && Interlocked.CompareExchange(ref _firstThread, thread, 0) == 0))
        {
            // No other thread writes it: a number goes to another thread only after this thread has ended. A release, and before the item's publication,
            // which is one as well: both pair with the acquire of the thread that takes the item, and counts it as completed.
            Volatile.Write(ref _queuedByFirst.Value, _queuedByFirst.Value + count);
        }
        else
        {
            OwnCounter[] others = Volatile.Read(ref _queuedByOthers) ?? MakePlaces();
            Interlocked.Add(ref others[thread & (others.Length - 1)].Value, count);
        }
    }

    /// <summary>Counts completed items, and returns how many have completed by now. The addition is a full fence.</summary>
    public long End(int count) => Interlocked.Add(ref _ended.Value, count);

    /// <summary>Whether as many items have completed as were queued. <paramref name="ended"/> was read before.</summary>
    public readonly bool IsAll(long ended)
    {
        Chaos.Point("GroupCount.IsAll");
        return ended == Queued;
    }

    private OwnCounter[] MakePlaces()
    {
        var made = new OwnCounter[s_places];
        return Interlocked.CompareExchange(ref _queuedByOthers, made, null) ?? made;
    }
}

/// <summary>A counter padded against false sharing. A reader costs the writer at most one transfer of the cache line. If several threads
/// write it, they use interlocked operations.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct OwnCounter
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    public long Value;
}
