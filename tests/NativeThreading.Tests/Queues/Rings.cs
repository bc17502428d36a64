using System.Globalization;
using NativeThreading.Queues;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>Numbered items in a ring: the number is the item's state.</summary>
internal static class Rings
{
    public static readonly Action<object?> Callback = static _ => { };

    public static bool TryPush(this WorkItemRing ring, int number) => ring.TryPush(Callback, number, context: null);

    /// <summary>Pushes as a worker does: grows when the slot at the tail is occupied.</summary>
    public static void Push(this WorkItemRing ring, int number)
    {
        if (!ring.TryPush(number))
        {
            ring.Grow();
            Assert.True(ring.TryPush(number), "A ring that has just grown has a free slot.");
        }
    }

    public static WorkItemRing With(int count)
    {
        var ring = new WorkItemRing();
        for (int number = 0; number < count; number++)
        {
            ring.Push(number);
        }

        return ring;
    }

    public static int Number(this WorkItem item) => (int)item.State!;

    public static List<int> TakeAllOldest(this WorkItemRing ring)
    {
        var numbers = new List<int>();
        WorkItem item = default;
        while (ring.TryTakeOldest(ref item))
        {
            numbers.Add(item.Number());
        }

        return numbers;
    }

    public static List<int> TakeAllNewest(this WorkItemRing ring)
    {
        var numbers = new List<int>();
        WorkItem item = default;
        while (ring.TryTakeNewest(ref item))
        {
            numbers.Add(item.Number());
        }

        return numbers;
    }

    /// <summary>A range of numbered items.</summary>
    public static ItemRange Range(int first, int count, object? context = null)
    {
        object?[] states = [.. Enumerable.Range(first, count).Cast<object?>()];
        return ItemRange.Of(Callback, (ReadOnlySpan<object?>)states, context ?? new object());
    }

    public static List<int> TakeAll(this Portion portion)
    {
        var numbers = new List<int>();
        WorkItem item = default;
        while (portion.TryTake(ref item))
        {
            numbers.Add(item.Number());
        }

        return numbers;
    }

    /// <summary>Moves what a worker moves at once whose items are short.</summary>
    public static int Transfer(this InjectorShard shard, WorkItemRing destination)
    {
        var batch = new MovedBatch();
        return shard.TryTransfer(destination, new Portion(), QueueTuning.ShardBatch, ref batch);
    }

    /// <inheritdoc cref="Transfer(InjectorShard, WorkItemRing)"/>
    public static int Transfer(this InjectorQueue queue, ref int start, WorkItemRing destination)
    {
        var batch = new MovedBatch();
        return queue.TryTransfer(ref start, destination, new Portion(), QueueTuning.ShardBatch, ref batch);
    }

    /// <summary>Takes the item with this number out of the middle.</summary>
    public static bool TryTake(this WorkItemRing ring, int number)
    {
        WorkItem item = default;
        bool taken = ring.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.Number() == wanted, number, ref item);
        Assert.True(!taken || item.Number() == number, string.Create(CultureInfo.InvariantCulture, $"Took {item.State} for {number}."));
        return taken;
    }
}
