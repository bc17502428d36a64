using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Timers fire in the order of their deadlines, equal ones in the order in which they were armed.</summary>
public sealed class TimerOrderTests : TimerTest
{
    private readonly List<int> _order = [];

    [Theory]
    [InlineData(2)]
    [InlineData(100)]
    [InlineData(10_000)]
    public void T75_EqualDeadlines_FireInArmingOrder(int count)
    {
        EventLoopTimer[] timers = NumberedTimers(count);
        OnLoop(() => Array.ForEach(timers, static timer => timer.Arm(TimeSpan.Zero)));
        AwaitAll(count);
        Assert.Equal(Enumerable.Range(0, count), _order);
    }

    [Fact]
    public void T75_EqualDeadlines_ReArmedOneGoesToTheEnd()
    {
        EventLoopTimer[] timers = NumberedTimers(1_000);
        OnLoop(() =>
        {
            Array.ForEach(timers, static timer => timer.Arm(TimeSpan.Zero));
            for (int i = 0; i < timers.Length; i += 2)
            {
                timers[i].Arm(TimeSpan.Zero);
            }
        });
        AwaitAll(timers.Length);
        IEnumerable<int> numbers = Enumerable.Range(0, timers.Length);
        Assert.Equal(numbers.Where(int.IsOddInteger).Concat(numbers.Where(int.IsEvenInteger)), _order);
    }

    [Fact]
    public void T75_EqualDeadlinesOfOtherThreads_FireInTheOrderOfTheirCalls()
    {
        EventLoopTimer[] timers = NumberedTimers(1_000);
        using (new BlockedLoop(Loop))
        {
            Array.ForEach(timers, static timer => timer.Arm(TimeSpan.Zero));
        }

        AwaitAll(timers.Length);
        Assert.Equal(Enumerable.Range(0, timers.Length), _order);
    }

    [Theory, CombinatorialBooleans]
    public void DifferentDeadlines_FireInTheirOrder(bool armedOnLoop, bool seenWhenAllHavePassed)
    {
        const int count = 200; // few enough that the loop comes to all calls of another thread in one turn
        EventLoopTimer[] timers = NumberedTimers(count);
        var earliest = new long[count];
        var latest = new long[count];
        var random = new Random(7);
        void ArmAll()
        {
            for (int i = 0; i < count; i++)
            {
                TimeSpan due = TimeSpan.FromMicroseconds(random.Next(1, 30_000));
                earliest[i] = After(Stopwatch.GetTimestamp(), due);
                timers[i].Arm(due);
                latest[i] = After(Stopwatch.GetTimestamp(), due);
            }

            if (seenWhenAllHavePassed)
            {
                SpinUntil(latest.Max());
            }
        }

        if (armedOnLoop)
        {
            OnLoop(ArmAll);
        }
        else
        {
            using (new BlockedLoop(Loop))
            {
                ArmAll();
            }
        }

        AwaitAll(count);
        Assert.Equal(Enumerable.Range(0, count), _order.Order());

        // A deadline lies between the two moments noted for it, so of two timers whose moments are apart the order is known.
        long firedLater = long.MaxValue;
        foreach (int number in Enumerable.Reverse(_order))
        {
            Assert.True(earliest[number] <= firedLater, $"Timer {number} fired before one whose deadline was earlier.");
            firedLater = Math.Min(firedLater, latest[number]);
        }
    }

    [Fact]
    public void ZeroDueTime_FiresBeforeALaterDeadline_ThoughArmedAfterIt()
    {
        EventLoopTimer[] timers = NumberedTimers(3);
        OnLoop(() =>
        {
            timers[2].Arm(Milliseconds(20));
            timers[1].Arm(Milliseconds(10));
            timers[0].Arm(TimeSpan.Zero);
        });
        AwaitAll(3);
        Assert.Equal([0, 1, 2], _order);
    }

    private EventLoopTimer[] NumberedTimers(int count) =>
        [.. Enumerable.Range(0, count).Select(number => NewTimer(() => _order.Add(number)))];

    private void AwaitAll(int count) => Deadline.Until(() => OnLoop(() => _order.Count) == count, $"{count} timers fire");
}
