using System.Runtime.CompilerServices;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A sealed lane (T144): whoever has claimed a slot is served, and everybody else is told that he is not.</summary>
public sealed class ExternalLaneSealTests
{
    private readonly ExternalLane _lane = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(ExternalSegment.Size - 1)]
    [InlineData(ExternalSegment.Size)]
    [InlineData((3 * ExternalSegment.Size) + 5)]
    public void DrainedLane_IsSealedAndRefuses(int before)
    {
        Add(before);
        if (before > 0)
        {
            Assert.False(_lane.TrySealDrained());
            Add(1); // it has refused nobody
        }

        TakeAll();
        Assert.True(_lane.TrySealDrained());
        Assert.True(_lane.TrySealDrained());
        for (int i = 0; i < 3; i++)
        {
            Assert.False(_lane.Enqueue(Rings.Callback, i, context: null));
        }

        WorkItem item = default;
        Assert.False(_lane.TryTakeLast(ref item));
        Assert.Equal((0L, true), (_lane.Count, _lane.IsEmpty));
    }

    [Fact]
    public void ClaimedSlot_KeepsTheLaneOpen()
    {
        Interlocked.Increment(ref Tickets(Last(_lane)).Value);
        Assert.True(_lane.IsEmpty);
        Assert.False(_lane.TrySealDrained());
        Assert.True(_lane.Enqueue(Rings.Callback, 1, context: null));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(ExternalSegment.Size)]
    [InlineData((2 * ExternalSegment.Size) + 5)]
    public void SealedWithItemsInside_GivesThemAllInOrder(int items)
    {
        Add(items);
        _lane.Seal();
        _lane.Seal();
        Assert.False(_lane.Enqueue(Rings.Callback, -1, context: null));
        Assert.Equal(items, _lane.Count);

        var taken = new List<int>();
        WorkItem item = default;
        while (_lane.TryTakeLast(ref item))
        {
            taken.Add(item.Number());
        }

        Assert.Equal(Enumerable.Range(0, items), taken);
        Assert.True(_lane.TrySealDrained());
    }

    [Fact]
    public void T63_TheLastTake_WaitsForASlotThatIsClaimedAndNotFilled()
    {
        int ticket = Interlocked.Increment(ref Tickets(Last(_lane)).Value) - 1;
        _lane.Seal();
        using var started = new ManualResetEventSlim();
        Task<int> taking = Task.Factory.StartNew(
            () =>
            {
                started.Set();
                WorkItem item = default;
                return _lane.TryTakeLast(ref item) ? item.Number() : -1;
            },
            TaskCreationOptions.LongRunning);
        Deadline.Wait(started);
        Assert.False(taking.IsCompleted);

        ref WorkItem slot = ref Last(_lane).Slot(ticket);
        slot.State = 7;
        Volatile.Write(ref slot.Callback, Rings.Callback);
        Assert.Equal(7, Deadline.Result(taking));
    }

    [Fact]
    public void RefusedTwoBillionTimes_StaysSealed()
    {
        _lane.Seal();
        Tickets(Last(_lane)).Value = -2; // the count of those who asked has nearly come round
        for (int i = 0; i < 5; i++)
        {
            Assert.False(_lane.Enqueue(Rings.Callback, i, context: null));
        }
    }

    [Theory, CombinatorialBooleans]
    public void T144_SealedBesideProducers_EachItemIsTakenOrWasRefused(bool drained)
    {
        const int producers = 3;
        for (int round = 0; round < Soak.Rounds(300); round++)
        {
            var lane = new ExternalLane();
            int accepted = 0;
            int taken = 0;
            int spin = round * 20;
            StartGate.Run(producers + 1, thread =>
            {
                if (thread < producers)
                {
                    int own = 0;
                    while (lane.Enqueue(Rings.Callback, own, context: null))
                    {
                        own++;
                        Thread.SpinWait(own % 50);
                        while (lane.Count > 100)
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
                    while (!lane.TrySealDrained())
                    {
                        taken += lane.TryTake(ref item) ? 1 : 0;
                    }

                    Assert.False(lane.TryTakeLast(ref item));
                    return;
                }

                lane.Seal();
                while (lane.TryTakeLast(ref item))
                {
                    taken++;
                }
            });

            Assert.Equal((accepted, 0L), (taken, lane.Count));
        }
    }

    private void Add(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Assert.True(_lane.Enqueue(Rings.Callback, i, context: null));
        }
    }

    private void TakeAll()
    {
        WorkItem item = default;
        while (_lane.TryTake(ref item))
        {
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_last")]
    private static extern ref ExternalSegment Last(ExternalLane lane);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tickets")]
    private static extern ref PaddedIndex Tickets(ExternalSegment segment);
}
