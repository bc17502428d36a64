using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>
/// Segments are claimed by ticket, filled in any order, emptied in order and used again; each test stops a producer at
/// one step of that and looks what the others make of it.
/// </summary>
public sealed class InjectorShardSegmentTests
{
    private static readonly object s_zero = 0;

    private readonly InjectorShard _shard = new();
    private int _next;

    [Fact]
    public void T63_ClaimedButUnfilledSlot_HidesTheItemsBehindItAndOnlyUntilItIsFilled()
    {
        Add(1);
        Action<int> fillGap = Claim();
        Add(1);

        Assert.Equal([0], TakeAll());
        Assert.True(_shard.IsEmpty);
        Assert.Equal(2, _shard.Count); // both are pending: shutdown must not overlook them

        fillGap(1_000);
        Assert.False(_shard.IsEmpty);
        Assert.Equal([1_000, 1], TakeAll());
    }

    [Fact]
    public void T10_DrainedSegmentInFront_DoesNotHideTheNext()
    {
        Add(InjectorSegment.Size);
        Assert.Equal(InjectorSegment.Size, TakeAll().Count);
        Assert.True(_shard.IsEmpty);

        Add(1);
        Assert.False(_shard.IsEmpty);
        Assert.Equal(1, _shard.Transfer(new WorkItemRing()));
        Assert.True(_shard.IsEmpty);
    }

    [Fact]
    public void ManySegments_KeepTheOrderAndTheCount()
    {
        const int items = (5 * InjectorSegment.Size) + 7;
        Add(items);
        Assert.Equal(items, _shard.Count);
        Assert.Equal(Enumerable.Range(0, items), TakeAll());
        Assert.Equal(0, _shard.Count);
    }

    [Fact]
    public void EmptiedSegment_IsUsedAgain()
    {
        InjectorSegment first = Producers(_shard).Last;
        Add(InjectorSegment.Size + 1);
        TakeAll(); // leaves the first segment
        Add(InjectorSegment.Size); // fills the second and continues

        Assert.Same(first, Producers(_shard).Last);
        Assert.Equal(Enumerable.Range(InjectorSegment.Size + 1, InjectorSegment.Size), TakeAll());
    }

    /// <summary>An exception there would leave the consumer's lock held indefinitely: code that allocates nothing cannot run out of memory.</summary>
    [Fact]
    public void LeavingASegment_AllocatesNothing()
    {
        const int segments = 300; // more than are kept
        Assert.Equal(0, Allocation.Least(() =>
        {
            AddEmpty(segments * InjectorSegment.Size);
            WorkItem item = default;
            TakeOneSegment(ref item); // the first one left
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < segments - 2; i++)
            {
                TakeOneSegment(ref item);
            }

            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            TakeOneSegment(ref item);
            return allocated;
        }));
        Assert.True(_shard.IsEmpty);
        Assert.Equal(0, _shard.Count);
    }

    [Fact]
    public void LeavingASegment_WaitsForNoProducer()
    {
        Add(InjectorSegment.Size + 1);
        using (AppendLock(ref Producers(_shard)).EnterScope()) // a producer loses its processor while it appends
        {
            var consumer = new Thread(() => TakeAll()) { IsBackground = true };
            consumer.Start();
            Deadline.Join(consumer);
        }

        Assert.True(_shard.IsEmpty);
    }

    [Fact]
    public void EmptiedSegments_AreAllUsedAgain_UntilTheyAreTrimmed()
    {
        const int segments = 4;
        long size = (long)InjectorSegment.Size * Unsafe.SizeOf<WorkItem>();
        AddEmpty(segments * InjectorSegment.Size);
        TakeAll();
        long before = GC.GetAllocatedBytesForCurrentThread();
        AddEmpty((segments - 1) * InjectorSegment.Size);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, size / 2);

        TakeAll();
        _shard.Trim();
        before = GC.GetAllocatedBytesForCurrentThread();
        AddEmpty(InjectorSegment.Size);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, size, long.MaxValue);
    }

    [Fact]
    public void T59_ProducerThatWasLateToAppend_DoesNotCloseASegmentThatIsInUseAgain()
    {
        // A producer finds the first segment full, and sleeps before it appends. Meanwhile the others append, fill and
        // empty, until that very segment is the last once more and has room. The sleeper must use it as it is: what it
        // appended behind the free slots would never be reached.
        InjectorSegment first = Producers(_shard).Last;
        Add(InjectorSegment.Size);
        Assert.False(first.TryAdd(Rings.Callback, -1, context: null));
        Add(1);
        TakeAll();
        Add(InjectorSegment.Size);
        Assert.Same(first, Producers(_shard).Last);

        InjectorSegment last = Producers(_shard).Append(first)!;
        Assert.True(last.TryAdd(Rings.Callback, _next, context: null));

        List<int> left = TakeAll();
        Assert.Equal(InjectorSegment.Size + 1, left.Count);
        Assert.Equal(_next, left[^1]);
        Assert.Equal(0, _shard.Count);
    }

    [Fact]
    public void T62_AppendedButUnusedSegment_IsEmptyForTheConsumer()
    {
        // The producer is stopped between linking a segment and filling its first slot: a worker that took this for work
        // would poll until it comes back.
        Add(InjectorSegment.Size);
        TakeAll();
        Producers(_shard).Append(Producers(_shard).Last);

        Assert.Equal(0, _shard.Transfer(new WorkItemRing()));
        Assert.True(_shard.IsEmpty);
    }

    [Fact]
    public void RemovedItem_IsNotCopiedNotTakenAndNotPending()
    {
        Add(2);
        WorkItem item = default;
        Assert.True(_shard.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.State is int n && n == wanted, 0, ref item));

        Assert.Equal(1, _shard.Count);
        Assert.Equal([1], TakeAll());
        Assert.True(_shard.IsEmpty);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(InjectorSegment.Size - 1)]
    public void T151_TakeMatching_TakesFromBehindASlotThatIsNotFilledYet(int slot)
    {
        Add(slot);
        TakeAll();
        InjectorSegment last = Producers(_shard).Last;
        Assert.True(last.TryClaim(out int ticket));
        Add(2);
        int wanted = _next - 1;
        WorkItem item = default;
        bool Take(bool isLastLook) => _shard.TryTakeMatching(
            static (in WorkItem candidate, int wanted) => candidate.State is int n && n == wanted, wanted, ref item, isLastLook);

        Assert.False(Take(isLastLook: false)); // believes that the shard is empty
        Assert.True(Take(isLastLook: true));
        Assert.Equal(wanted, item.Number());
        last.Fill(ticket, Rings.Callback, -1, context: null);
        Assert.Equal([-1, wanted - 1], TakeAll());
        Assert.Equal(0, _shard.Count);
    }

    /// <summary>A worker that waits takes all new items, one by one, and no worker takes in order.</summary>
    [Fact]
    public void T151_WhatIsTakenOutOfOrder_IsNotPassedOverAgain()
    {
        const int items = (2 * InjectorSegment.Size) + 5;
        Add(items + 1);
        var looks = new StrongBox<int>();
        WorkItem item = default;
        for (int number = 0; number < items; number++)
        {
            Assert.True(_shard.TryTakeMatching(
                static (in WorkItem candidate, StrongBox<int> looks) => ++looks.Value > 0 && candidate.State is int, looks, ref item));
            Assert.Equal(number, item.Number());
            _shard.RemoveHoles();
            Assert.False(_shard.IsEmpty);
            Assert.Equal(items - number, _shard.Count);
        }

        Assert.Equal(items, looks.Value);
        Assert.Equal([items], TakeAll());
        Assert.Equal(0, _shard.Count);
    }

    private void Add(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _shard.Enqueue(Rings.Callback, _next++, context: null);
        }
    }

    private void AddEmpty(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _shard.Enqueue(Rings.Callback, s_zero, context: null);
        }
    }

    private void TakeOneSegment(ref WorkItem item)
    {
        for (int i = 0; i < InjectorSegment.Size; i++)
        {
            _shard.TryTake(ref item);
        }
    }

    private List<int> TakeAll()
    {
        var taken = new List<int>();
        WorkItem item = default;
        while (_shard.TryTake(ref item))
        {
            taken.Add(item.Number());
        }

        return taken;
    }

    /// <summary>A producer claims a slot. What it does next.</summary>
    private Action<int> Claim()
    {
        InjectorSegment last = Producers(_shard).Last;
        Assert.True(last.TryClaim(out int ticket));
        return number => last.Fill(ticket, Rings.Callback, number, context: null);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_producers")]
    private static extern ref ProducerSide Producers(InjectorShard shard);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_appendLock")]
    private static extern ref UninterruptedLock AppendLock(ref ProducerSide producers);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tickets")]
    private static extern ref PaddedIndex Tickets(InjectorSegment segment);
}
