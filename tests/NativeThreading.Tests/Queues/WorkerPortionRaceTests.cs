using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>A worker claims portions and takes from them, while thieves take halves and single items from it and some look.</summary>
[Trait("Category", "Race")]
public sealed class WorkerPortionRaceTests
{
    private const int Items = 300;

    [Fact]
    public void EachItem_IsTakenOnce_ByItsOwnerOrAThief()
    {
        foreach (int round in RaceTime.Rounds())
        {
            var source = new InjectorQueue(isOneOrder: true);
            var side = new Side(source);
            for (int first = 0, count; first < Items; first += count)
            {
                count = Math.Min(1 + ((round + first) % 70), Items - first);
                source.EnqueueRange(Rings.Range(first, count));
            }

            Race.Run(side.Own, side.Steal, side.TakeTheFront, side.Look);
            Assert.All(side.Taken, static count => Assert.Equal(1, count));
            Assert.Equal(0, source.Count);
        }
    }

    private sealed class Side(InjectorQueue source)
    {
        private WorkerQueues _owner = new();
        private WorkerQueues _thief = new();
        private int _left = Items;

        public int[] Taken { get; } = new int[Items];

        public void Own()
        {
            WorkItem item = default;
            for (int start = 0, most = 1; Volatile.Read(ref _left) != 0; most = 1 + ((most * 7) % 64))
            {
                _owner.Fetch(source, ref start, most);
                while (most % 2 == 0 ? _owner.TryTake(ref item) : TryTakeState(ref item))
                {
                    Note(in item);
                }
            }
        }

        public void Steal()
        {
            WorkItem item = default;
            while (Volatile.Read(ref _left) != 0)
            {
                _owner.TryStealInto(ref _thief, most: 5, localFirst: false);
                while (_thief.TryTake(ref item))
                {
                    Note(in item);
                }
            }
        }

        public void TakeTheFront()
        {
            WorkItem item = default;
            while (Volatile.Read(ref _left) != 0)
            {
                if (_owner.TryTakeFront(ref item) || _thief.TryTakeFront(ref item))
                {
                    Note(in item);
                }
            }
        }

        public void Look()
        {
            while (Volatile.Read(ref _left) != 0)
            {
                Assert.InRange(_owner.Count + _thief.Count, 0, 2 * Items);
                _owner.AnyContext(static (in WorkItem item, object? _) => item.Context is null, null);
                Assert.All(_owner.PendingItems(), static item => Assert.Same(Rings.Callback, item.Callback));
            }
        }

        private bool TryTakeState(ref WorkItem item)
        {
            object? state = _owner.TakeStateFromPortion();
            item.State = state;
            return !ReferenceEquals(state, Portion.Nothing);
        }

        private void Note(in WorkItem item)
        {
            Interlocked.Increment(ref Taken[item.Number()]);
            Interlocked.Decrement(ref _left);
        }
    }
}
