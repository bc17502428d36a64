using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>An item has two words or three in a shard, and comes out as it was put in, whichever way it is taken.</summary>
public sealed class InjectorSlotTests
{
    private static readonly Action<object?> s_other = static _ => { };

    private readonly InjectorShard _shard = new();

    private delegate List<WorkItem> Way(InjectorShard shard);

    public static TheoryData<string> Ways => [.. s_ways.Keys];

    private static readonly Dictionary<string, Way> s_ways = new()
    {
        ["take"] = static shard =>
        {
            var taken = new List<WorkItem>();
            WorkItem item = default;
            while (shard.TryTakeNow(ref item))
            {
                taken.Add(item);
            }

            return taken;
        },
        ["transfer"] = static shard =>
        {
            var taken = new List<WorkItem>();
            var lane = new WorkItemRing();
            WorkItem item = default;
            while (shard.Transfer(lane) != 0)
            {
                while (lane.TryTakeOldest(ref item))
                {
                    taken.Add(item);
                }
            }

            return taken;
        },
        ["match"] = static shard =>
        {
            var taken = new List<WorkItem>();
            WorkItem item = default;
            while (shard.TryTakeMatching(static (in WorkItem item, int _) => item.State is int, 0, ref item))
            {
                taken.Add(item);
            }

            return taken;
        },
        ["debugger"] = static shard => [.. shard.PendingItems()],
    };

    [Fact]
    public void FourSlots_LieOnACacheLine() => Assert.Equal(16, Unsafe.SizeOf<InjectorSlot>());

    [Theory]
    [MemberData(nameof(Ways))]
    public void EachItem_ComesOutAsItWasPutIn(string way)
    {
        object context = new();
        object shared = new();
        var repeated = new RepeatedCall(s_other, shared);
        _shard.Enqueue(Rings.Callback, 0, context);
        _shard.Enqueue(repeated, 1);
        _shard.Enqueue(Rings.Callback, 2, context: null);
        _shard.Enqueue(repeated, 3);

        Assert.Equal(
            [(Rings.Callback, 0, context), (s_other, 1, shared), (Rings.Callback, 2, null), (s_other, 3, shared)],
            s_ways[way](_shard).Select(static item => (item.Callback, item.Number(), item.Context)));
    }

    /// <summary>Segments are used again: nothing of an item may be left for the next one in its slot.</summary>
    [Theory]
    [InlineData("take")]
    [InlineData("transfer")]
    [InlineData("match")]
    public void ASlotThatIsUsedAgain_HasNothingOfTheItemBefore(string way)
    {
        var repeated = new RepeatedCall(s_other, new object());
        for (int i = 0; i < 3 * InjectorSegment.Size; i++)
        {
            switch (i / InjectorSegment.Size)
            {
                case 0:
                    _shard.Enqueue(Rings.Callback, i, new object());
                    break;
                case 1:
                    _shard.Enqueue(repeated, i);
                    break;
                default:
                    _shard.Enqueue(Rings.Callback, i, context: null);
                    break;
            }

            WorkItem item = Assert.Single(s_ways[way](_shard));
            Assert.Equal(i, item.Number());
            Assert.Equal(i / InjectorSegment.Size != 2, item.Context is not null);
        }
    }
}
