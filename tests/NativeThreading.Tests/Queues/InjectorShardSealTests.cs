using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A sealed shard (T144): it accepts the items of producers that have claimed a slot, and rejects all others.</summary>
public sealed class InjectorShardSealTests
{
    private readonly InjectorShard _shard = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(InjectorSegment.Size - 1)]
    [InlineData(InjectorSegment.Size)]
    [InlineData((3 * InjectorSegment.Size) + 5)]
    public void DrainedShard_IsSealedAndRefuses(int before)
    {
        Add(before);
        if (before > 0)
        {
            Assert.False(_shard.TrySealDrained());
            Add(1); // it has rejected no producer
        }

        TakeAll();
        Assert.True(_shard.TrySealDrained());
        Assert.True(_shard.TrySealDrained());
        for (int i = 0; i < 3; i++)
        {
            Assert.False(_shard.Enqueue(Rings.Callback, i, context: null));
        }

        WorkItem item = default;
        Assert.False(_shard.TryTakeLast(ref item));
        Assert.Equal((0L, true), (_shard.Count, _shard.IsEmpty));
    }

    [Fact]
    public void ClaimedSlot_KeepsTheShardOpen()
    {
        Interlocked.Increment(ref Tickets(Producers(_shard).Last).Value);
        Assert.True(_shard.IsEmpty);
        Assert.False(_shard.TrySealDrained());
        Assert.True(_shard.Enqueue(Rings.Callback, 1, context: null));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(InjectorSegment.Size)]
    [InlineData((2 * InjectorSegment.Size) + 5)]
    public void SealedWithItemsInside_GivesThemAllInOrder(int items)
    {
        Add(items);
        _shard.Seal();
        _shard.Seal();
        Assert.False(_shard.Enqueue(Rings.Callback, -1, context: null));
        Assert.Equal(items, _shard.Count);

        var taken = new List<int>();
        WorkItem item = default;
        while (_shard.TryTakeLast(ref item))
        {
            taken.Add(item.Number());
        }

        Assert.Equal(Enumerable.Range(0, items), taken);
        Assert.True(_shard.TrySealDrained());
    }

    [Fact]
    public void T63_TheLastTake_WaitsForASlotThatIsClaimedAndNotFilled()
    {
        int ticket = Interlocked.Increment(ref Tickets(Producers(_shard).Last).Value) - 1;
        _shard.Seal();
        using var started = new ManualResetEventSlim();
        Task<int> taking = Task.Factory.StartNew(
            () =>
            {
                started.Set();
                WorkItem item = default;
                return _shard.TryTakeLast(ref item) ? item.Number() : -1;
            },
            TaskCreationOptions.LongRunning);
        Deadline.Wait(started);
        Assert.False(taking.IsCompleted);

        Producers(_shard).Last.Fill(ticket, Rings.Callback, 7, context: null);
        Assert.Equal(7, Deadline.Result(taking));
    }

    [Fact]
    public void RefusedTwoBillionTimes_StaysSealed()
    {
        _shard.Seal();
        Tickets(Producers(_shard).Last).Value = -2; // the count of tickets has nearly wrapped around
        for (int i = 0; i < 5; i++)
        {
            Assert.False(_shard.Enqueue(Rings.Callback, i, context: null));
        }
    }

    [Theory, CombinatorialBooleans]
    public void T144_SealedBesideProducers_EachItemIsTakenOrWasRefused(bool drained)
    {
        const int producers = 3;
        foreach (int round in Soak.Repeat(300))
        {
            var shard = new InjectorShard();
            int accepted = 0;
            int taken = 0;
            int spin = round * 20;
            StartGate.Run(producers + 1, thread =>
            {
                if (thread < producers)
                {
                    int own = 0;
                    while (shard.Enqueue(Rings.Callback, own, context: null))
                    {
                        own++;
                        Thread.SpinWait(own % 50);
                        while (shard.Count > 100)
                        {
                            Thread.Yield(); // three are faster than one, which would never see it drained
                        }
                    }

                    Interlocked.Add(ref accepted, own);
                    return;
                }

                Thread.SpinWait(spin);
                WorkItem item = default;
                if (drained)
                {
                    while (!shard.TrySealDrained())
                    {
                        taken += shard.TryTake(ref item) ? 1 : 0;
                    }

                    Assert.False(shard.TryTakeLast(ref item));
                    return;
                }

                shard.Seal();
                while (shard.TryTakeLast(ref item))
                {
                    taken++;
                }
            });

            Assert.Equal((accepted, 0L), (taken, shard.Count));
        }
    }

    private void Add(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Assert.True(_shard.Enqueue(Rings.Callback, i, context: null));
        }
    }

    private void TakeAll()
    {
        WorkItem item = default;
        while (_shard.TryTake(ref item))
        {
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_producers")]
    private static extern ref ProducerSide Producers(InjectorShard shard);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tickets")]
    private static extern ref PaddedIndex Tickets(InjectorSegment segment);
}
