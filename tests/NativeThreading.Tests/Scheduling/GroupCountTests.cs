using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>What a group has been given and what has ended, counted by many threads at the same time.</summary>
public sealed class GroupCountTests
{
    [Fact]
    public void OfSeveralThreads_AreOneSum()
    {
        var count = new GroupCount();
        count.Add(2);
        StartGate.Run(1, _ => count.Add(3)); // another thread
        Assert.Equal(5, count.Pending);
        Assert.Equal(4, count.End(4));
        Assert.Equal(1, count.Pending);
        Assert.False(count.IsDone);
        Assert.True(count.IsAll(count.End(1)));
        Assert.True(count.IsDone);
    }

    /// <summary>Others queue and end items all the while. It is not done for a thread whose own item has not ended.</summary>
    [Fact]
    [Trait("Category", "Race")]
    public void WithAnItemThatHasNotEnded_IsNeverDone()
    {
        foreach (int _ in RaceTime.Rounds())
        {
            var count = new GroupCount();
            StartGate.Run(3, _ =>
            {
                for (int i = 0; i < 100; i++)
                {
                    count.Add(1);
                    Assert.False(count.IsDone);
                    Assert.True(count.Pending >= 1);
                    count.End(1);
                }
            });
            Assert.True(count.IsDone);
            Assert.Equal(0, count.Pending);
        }
    }

    /// <summary>The thread that ends the last item learns that it was the last: that thread wakes the waiters.</summary>
    [Fact]
    [Trait("Category", "Race")]
    public void WhoEndsTheLastItem_SeesThatAllHaveEnded()
    {
        foreach (int _ in RaceTime.Rounds())
        {
            var count = new GroupCount();
            int saw = 0;
            StartGate.Run(3, _ =>
            {
                count.Add(1);
                if (count.IsAll(count.End(1)))
                {
                    Interlocked.Increment(ref saw);
                }
            });
            Assert.InRange(saw, 1, 3);
        }
    }
}
