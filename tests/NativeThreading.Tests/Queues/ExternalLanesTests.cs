using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>The shards together: one per producer's order, all of them for whoever looks.</summary>
public sealed class ExternalLanesTests : IDisposable
{
    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions { Name = "lanes" });
    private readonly ExternalLanes _lanes = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void T131_ItemInAnyShard_IsSeenAndFound_WhereverTheScanBegins()
    {
        ExternalLane[] shards = Shards(_lanes);
        Assert.True(shards.Length >= Math.Min(2, Environment.ProcessorCount));
        for (int first = 0; first < shards.Length; first++)
        {
            int start = first;
            foreach (ExternalLane shard in shards)
            {
                Assert.False(_lanes.AnyItem);
                shard.Enqueue(Rings.Callback, first, context: null);

                var destination = new WorkItemRing();
                Assert.True(_lanes.AnyItem);
                Assert.Equal(1, _lanes.Count);
                Assert.Equal(1, _lanes.Transfer(ref start, destination));
                Assert.Equal([first], destination.TakeAllOldest());
            }
        }
    }

    [Fact]
    public void T131_ItemInAnyShard_IsTakenByTheDrainAndByTheSearch()
    {
        foreach (ExternalLane shard in Shards(_lanes))
        {
            shard.Enqueue(Rings.Callback, 1, context: null);
            var items = new List<WorkItem>();
            _lanes.TakeAll(items);
            Assert.Single(items);

            WorkItem item = default;
            shard.Enqueue(Rings.Callback, 2, context: null);
            Assert.True(_lanes.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.State is int n && n == wanted, 2, ref item));
        }
    }

    [Fact]
    public void OneThread_UsesOneShard_SoThatItsItemsKeepTheirOrder()
    {
        for (int number = 0; number < 100; number++)
        {
            _lanes.Enqueue(Rings.Callback, number, context: null);
        }

        Assert.Equal(100, Assert.Single(Shards(_lanes), shard => !shard.IsEmpty).Count);

        int start = 0;
        var destination = new WorkItemRing();
        while (_lanes.Transfer(ref start, destination) != 0)
        {
        }

        Assert.Equal(Enumerable.Range(0, 100), destination.TakeAllOldest());
    }

    [Fact]
    public void ShardsCoverTheProcessors()
    {
        int count = Shards(_lanes).Length;
        Assert.True(int.IsPow2(count));
        Assert.InRange(count, Math.Min(Environment.ProcessorCount, 16), 16);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_shards")]
    private static extern ref ExternalLane[] Shards(ExternalLanes lanes);
}
