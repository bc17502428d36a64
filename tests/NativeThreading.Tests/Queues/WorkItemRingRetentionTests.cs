using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>A ring keeps nothing alive once it was taken, whichever way it was taken.</summary>
public sealed class WorkItemRingRetentionTests
{
    public static TheoryData<string> WaysToTake() => ["oldest", "newest", "matching", "oldest matching", "oldest after growth"];

    [Theory]
    [MemberData(nameof(WaysToTake))]
    public void TakenItem_IsNotRetained(string way)
    {
        var ring = new WorkItemRing();
        WeakReference[] parts = PushAndTake(ring, way);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        foreach (WeakReference part in parts)
        {
            Assert.False(part.IsAlive, "A slot still refers to an item that was taken.");
        }

        GC.KeepAlive(ring);
    }

    [Fact]
    public void EmptyRing_HasOnlyEmptySlots()
    {
        var ring = new WorkItemRing();
        for (int number = 0; number < 100; number++)
        {
            Assert.True(ring.TryPush(Rings.Callback, number, context: new object()));
        }

        Assert.True(ring.TryTake(50));
        WorkItem item = default;
        while (ring.TryTakeOldest(ref item) && ring.TryTakeNewest(ref item))
        {
        }

        Assert.Equal(0, ring.Count);
        Assert.All(Slots(ring), slot => Assert.True(slot is { Callback: null, State: null, Context: null }));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_items")]
    private static extern ref WorkItem[] Slots(WorkItemRing ring);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] PushAndTake(WorkItemRing ring, string way)
    {
        object state = new(), context = new();
        Action<object?> callback = new Witness().Run;
        bool isInTheMiddle = way.EndsWith("matching", StringComparison.Ordinal);
        if (isInTheMiddle)
        {
            ring.Push(1); // moves up into the gap, or
        }

        Assert.True(ring.TryPush(callback, state, context));
        if (way == "oldest after growth")
        {
            ring.Grow();
        }

        if (isInTheMiddle)
        {
            ring.Push(2); // moves down; its old slot must be cleared too
        }

        WorkItem item = default;
        Assert.True(way switch
        {
            "newest" => ring.TryTakeNewest(ref item),
            "matching" => ring.TryTakeMatching(static (in WorkItem candidate, object wanted) => candidate.State == wanted, state, ref item),
            "oldest matching" => ring.TryTakeOldestMatching(static (in WorkItem candidate, object wanted) => candidate.State == wanted, state, ref item),
            _ => ring.TryTakeOldest(ref item),
        });
        Assert.Same(state, item.State);
        return [new(state), new(context), new(callback)];
    }

    private sealed class Witness
    {
        public void Run(object? state) => GC.KeepAlive(this);
    }
}
