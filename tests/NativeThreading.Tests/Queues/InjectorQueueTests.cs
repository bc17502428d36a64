using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>The shards together: one per producer's order, all of them for a consumer.</summary>
public sealed class InjectorQueueTests : IDisposable
{
    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions { Name = "queue" });
    private readonly InjectorQueue _queue = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void T131_ItemInAnyShard_IsSeenAndFound_WhereverTheScanBegins()
    {
        InjectorShard[] shards = Shards(_queue);
        Assert.True(shards.Length >= Math.Min(2, Environment.ProcessorCount));
        for (int first = 0; first < shards.Length; first++)
        {
            int start = first;
            foreach (InjectorShard shard in shards)
            {
                Assert.False(_queue.AnyItem);
                shard.Enqueue(Rings.Callback, first, context: null);

                var destination = new WorkItemRing();
                Assert.True(_queue.AnyItem);
                Assert.Equal(1, _queue.Count);
                Assert.Equal(1, _queue.Transfer(ref start, destination));
                Assert.Equal([first], destination.TakeAllOldest());
            }
        }
    }

    [Fact]
    public void T131_ItemInAnyShard_IsTakenByTheDrainAndByTheSearch()
    {
        foreach (InjectorShard shard in Shards(_queue))
        {
            shard.Enqueue(Rings.Callback, 1, context: null);
            var items = new List<WorkItem>();
            _queue.TakeAll(items);
            Assert.Single(items);

            WorkItem item = default;
            shard.Enqueue(Rings.Callback, 2, context: null);
            Assert.True(_queue.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.State is int n && n == wanted, 2, ref item));
        }
    }

    [Fact]
    public void T28_RangesInSeveralShards_AreFoundByTurns()
    {
        InjectorShard[] shards = Shards(_queue);
        foreach (InjectorShard shard in shards)
        {
            shard.EnqueueRange(ItemRange.Of(Rings.Callback, new object?[2], this));
        }

        int start = 0;
        var batch = new MovedBatch();
        for (int i = 0; i < 2 * shards.Length; i++)
        {
            Assert.Equal(0, _queue.TryTransfer(ref start, new WorkItemRing(), most: 1, ref batch, out ItemRange? range));
            Assert.Same(shards[i % shards.Length], range!.Shard);
            WorkItem item = default;
            Assert.True(range.TryTake(ref item));
        }

        Assert.False(_queue.AnyItem);
    }

    [Fact]
    public void OneThread_UsesOneShard_SoThatItsItemsKeepTheirOrder()
    {
        for (int number = 0; number < 100; number++)
        {
            _queue.Enqueue(Rings.Callback, number, context: null);
        }

        Assert.Equal(100, Assert.Single(Shards(_queue), shard => !shard.IsEmpty).Count);

        int start = 0;
        var destination = new WorkItemRing();
        while (_queue.Transfer(ref start, destination) != 0)
        {
        }

        Assert.Equal(Enumerable.Range(0, 100), destination.TakeAllOldest());
    }

    [Fact]
    public void ShardsCoverTheProcessors()
    {
        int count = Shards(_queue).Length;
        Assert.True(int.IsPow2(count));
        Assert.InRange(count, Math.Min(Environment.ProcessorCount, 16), 16);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_shards")]
    private static extern ref InjectorShard[] Shards(InjectorQueue queue);
}
