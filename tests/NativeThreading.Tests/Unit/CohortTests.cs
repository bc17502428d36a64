using NativeThreading.Starvation;
using NativeThreading.Tests.Support;
using NativeThreading.Workers;

namespace NativeThreading.Tests.Unit;

/// <summary>How many the next pass may add follows from what became of those that the last one put to work.</summary>
public sealed class CohortTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void AllOfThemBlocked_TheNextPassMayAddTwiceAsMany()
    {
        var cohort = default(Cohort);
        Worker[] workers = PutToWork(ref cohort, 3);
        cohort.Blocked(workers[0]);
        cohort.Blocked(workers[1]);
        Assert.Equal(0, cohort.Next);
        cohort.Blocked(workers[2]);
        Assert.Equal(6, cohort.Next);
    }

    [Fact]
    public void OneFoundBlockedAgainAndAgain_CountsOnce()
    {
        var cohort = default(Cohort);
        Worker[] workers = PutToWork(ref cohort, 2);
        for (int i = 0; i < 3; i++)
        {
            cohort.Blocked(workers[0]); // it ran in between
        }

        Assert.Equal(0, cohort.Next);
    }

    [Fact]
    public void OneOfAnEarlierPass_DoesNotCountForThisOne()
    {
        var cohort = default(Cohort);
        Worker[] earlier = PutToWork(ref cohort, 1);
        PutToWork(ref cohort, 1);
        cohort.Blocked(earlier[0]);
        Assert.Equal(0, cohort.Next);
    }

    private Worker[] PutToWork(ref Cohort cohort, int count)
    {
        cohort.Begin();
        var workers = new Worker[count];
        for (int i = 0; i < count; i++)
        {
            workers[i] = new Worker(_pool, i) { Cohort = cohort.Number };
            cohort.Added();
        }

        return workers;
    }
}
