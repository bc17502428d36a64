using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>Some claim items of ranges, some take under the lock, some help with what is in the middle, some count.</summary>
[Trait("Category", "Race")]
public sealed class ItemRangeRaceTests
{
    private const int Ranges = 30;

    [Fact]
    public void EachItem_IsClaimedOnce_AndNothingIsLeft()
    {
        foreach (int round in RaceTime.Rounds())
        {
            var shard = new InjectorShard();
            var contexts = Enumerable.Range(0, 2).Select(static _ => new object()).ToArray();
            int items = 0, left = 0;
            int[] taken = new int[Ranges * 40];

            void Produce()
            {
                for (int i = 0; i < Ranges; i++)
                {
                    object?[] states = [.. Enumerable.Range(items, 1 + ((round + i) % 40)).Cast<object?>()];
                    Interlocked.Add(ref left, states.Length);
                    items += states.Length;
                    shard.EnqueueRange(ItemRange.Of(Rings.Callback, (ReadOnlySpan<object?>)states, contexts[i % 2]));
                }
            }

            void Note(in WorkItem item)
            {
                Interlocked.Increment(ref taken[item.Number()]);
                Interlocked.Decrement(ref left);
            }

            void Claim()
            {
                WorkItem item = default;
                var batch = new MovedBatch();
                var lane = new WorkItemRing();
                while (Volatile.Read(ref left) != 0)
                {
                    shard.TryTransfer(lane, 1, ref batch, out ItemRange? range);
                    if (lane.TryTakeOldest(ref item))
                    {
                        Note(in item); // behind a hole
                    }

                    for (int most = 5; range is not null && most > 0 && range.TryTake(ref item); most--)
                    {
                        Note(in item);
                    }
                }
            }

            void TakeOneByOne()
            {
                WorkItem item = default;
                while (Volatile.Read(ref left) != 0)
                {
                    if (shard.TryTakeNow(ref item))
                    {
                        Note(in item);
                    }
                }
            }

            void Help()
            {
                WorkItem item = default;
                while (Volatile.Read(ref left) != 0)
                {
                    if (shard.TryTakeMatching(static (in WorkItem candidate, object wanted) => candidate.Context == wanted, contexts[1], ref item))
                    {
                        Note(in item);
                    }

                    Assert.InRange(shard.Count, 0, taken.Length);
                }
            }

            Interlocked.Increment(ref left); // the producer's: no thread leaves before it is done
            Race.Run(
                () =>
                {
                    Produce();
                    Interlocked.Decrement(ref left);
                },
                Claim,
                Claim,
                TakeOneByOne,
                Help);
            Assert.All(taken.Take(items), static count => Assert.Equal(1, count));
            Assert.Equal(0, shard.Count);
            WorkItem last = default;
            Assert.False(shard.TryTake(ref last)); // skips holes
            Assert.True(shard.IsEmpty);
        }
    }

    /// <summary>A range is counted a moment before it is published, and items of others may wait behind its slot by then.</summary>
    [Fact]
    public void CountBesideARangeThatComesAndGoes_MissesNoItem()
    {
        foreach (int _ in RaceTime.Rounds())
        {
            var shard = new InjectorShard();
            int ended = 0;
            Race.Run(
                () =>
                {
                    WorkItem item = default;
                    ItemRange range = ItemRange.Of(Rings.Callback, new object?[9], this);
                    shard.EnqueueRange(range);
                    while (range.TryTake(ref item))
                    {
                    }

                    Volatile.Write(ref ended, 1);
                },
                () =>
                {
                    shard.Enqueue(Rings.Callback, null, null);
                    do
                    {
                        Assert.True(shard.Count > 0);
                    }
                    while (Volatile.Read(ref ended) == 0);
                });
        }
    }
}
