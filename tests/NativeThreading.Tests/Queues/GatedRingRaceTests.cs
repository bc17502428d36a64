using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Queues;

/// <summary>The deque of a worker, by its owner and by thieves at once: every item is taken exactly once.</summary>
public sealed class GatedRingRaceTests
{
    private const int MaxItems = 4_000_000;

#if CHAOS
    private const int LeastItems = 10; // each step of the gate may take milliseconds
#else
    private const int LeastItems = 1_000;
#endif

    private readonly GatedRing _ring = new();
    private readonly int[] _taken = new int[MaxItems];
    private int _pushed;
    private bool _stop;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void T3_OneItem_OwnersPopAgainstThieves_SomebodyGetsIt(int thieves)
    {
        Budget budget = Budget.Of(400);
        RunAgainst(thieves, () =>
        {
            while (_pushed < MaxItems && budget.HasTime)
            {
                _ring.Push(_pushed++);
                Pop();

                // Either of the two has it now: one that both have missed would still be inside, and no thread would take it.
                Assert.Equal(0, _ring.Count);
            }
        });
    }

    [Fact]
    public void T23_GrowthAndRemovalUnderFourThieves_ConserveTheItems()
    {
        Budget budget = Budget.Of(700);
        var random = new Random(23);
        RunAgainst(thieves: 4, () =>
        {
            while (_pushed < MaxItems - 1_000 && budget.HasTime)
            {
                // Bursts longer than the ring, so that it grows and its indices wrap while thieves are inside.
                for (int burst = random.Next(1, 600); burst > 0; burst--)
                {
                    _ring.Push(_pushed++);
                }

                int wanted = Math.Max(0, _pushed - random.Next(1, 50));
                if (_ring.TryRemove(wanted))
                {
                    Took(wanted);
                }

                for (int pops = random.Next(0, 600); pops > 0 && Pop(); pops--)
                {
                }
            }

            while (Pop())
            {
            }
        });
    }

    private void RunAgainst(int thieves, Action owner)
    {
        Race.Run([
            () =>
            {
                try
                {
                    owner();
                }
                finally
                {
                    Volatile.Write(ref _stop, true);
                }
            },
            .. Enumerable.Repeat(Steal, thieves)]);

        Assert.Equal(0, _ring.Count);
        Assert.InRange(_pushed, LeastItems, MaxItems);
        Assert.Equal(-1, Array.FindIndex(_taken, 0, _pushed, count => count != 1));
    }

    private bool Pop()
    {
        bool popped = _ring.TryPop(out int number);
        if (popped)
        {
            Took(number);
        }

        return popped;
    }

    private void Steal()
    {
        while (!Volatile.Read(ref _stop))
        {
            // As in the pool: a queue that looks empty is not worth a theft.
            if (_ring.Count == 0)
            {
                Thread.SpinWait(20);
            }
            else if (_ring.TrySteal(out int number))
            {
                Took(number);
            }
        }
    }

    private void Took(int number) => Interlocked.Increment(ref _taken[number]);
}
