using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T12, T16: threads that retire at the very moment in which an item arrives.</summary>
[Trait("Category", "Soak")]
public sealed class IdleTimeoutTests : SoakTest
{
    private int _ran;

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 0)]
    [InlineData(4, 0)]
    [InlineData(4, 1)]
    public void T16_PeriodIsTheIdleTimeoutGiveOrTakeALittle_NothingIsStrandedAndThreadsAreBounded(int threads, int minThreads)
    {
        NativeThreadPool pool = NewPool(threads, options =>
        {
            options.IdleTimeout = TimeSpan.FromMilliseconds(1);
            options.MinThreads = minThreads;
        });
        long timeout = Stopwatch.Frequency / 1_000, slack = timeout / 10;
        var random = new Random(16);
        int expected = 0;
        for (Budget budget = Budget.Of(400); budget.HasTime;)
        {
            int items = random.Next(1, threads + 1);
            expected += items;
            long started = Stopwatch.GetTimestamp();
            for (int i = 0; i < items; i++)
            {
                pool.UnsafeQueueUserWorkItem(static test => Interlocked.Increment(ref test._ran), this, preferLocal: false);
            }

            AssertSoon(() => Volatile.Read(ref _ran) == expected, started);
            Assert.InRange(pool.ThreadCount, 0, threads);
            Spin(timeout + random.NextInt64(-slack, slack));
        }
    }

    [Fact]
    public void T18_T19_SteadyLowLoad_IsServedByTheThreadsThatAreWarm_AndTheOthersRetire()
    {
        NativeThreadPool pool = NewPool(4, options =>
        {
            options.MinThreads = 0;
            options.IdleTimeout = TimeSpan.FromMilliseconds(200);
        });
        using (new BlockedWorkers(pool, 4))
        {
            Assert.Equal(4, pool.ThreadCount);
        }

        // One item at a time: a pool that woke the longest parked thread would keep all four alive indefinitely.
        int expected = 0;
        Deadline.Until(() =>
        {
            expected++;
            long started = Stopwatch.GetTimestamp();
            pool.UnsafeQueueUserWorkItem(static test => Interlocked.Increment(ref test._ran), this, preferLocal: false);
            AssertSoon(() => Volatile.Read(ref _ran) == expected, started);
            return pool.ThreadCount <= 2; // a second one may have been woken while the first was still going to park
        });
        Assert.InRange(pool.ThreadCount, 1, 2);
    }

    [Fact]
    public void T17_ThreadsThatAreWokenAgainAndAgain_AreNotRecreated()
    {
        // An item every few milliseconds, far more often than the idle timeout: one thread does it all.
        NativeThreadPool pool = NewPool(1, options =>
        {
            options.MinThreads = 0;
            options.IdleTimeout = TimeSpan.FromSeconds(1);
        });
        var threads = new HashSet<int>();
        var clock = Stopwatch.StartNew();
        for (int expected = 1; clock.Elapsed < TimeSpan.FromSeconds(1.3); expected++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    threads.Add(Environment.CurrentManagedThreadId);
                    Interlocked.Increment(ref _ran);
                },
                null);
            AssertSoon(() => Volatile.Read(ref _ran) == expected, Stopwatch.GetTimestamp());
            Spin(Stopwatch.Frequency / 500);
        }

        Assert.Single(threads);
    }
}
