using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>Waits that time out against releases: as native/tests/test_semaphore_races.c.</summary>
[Trait("Category", "Race")]
public sealed class ManagedLifoSemaphoreRaceTests
{
    private const long Microsecond = 1_000;

    [Fact]
    public void T12_T14_T15_PermitsAreConserved()
    {
        var semaphore = new ManagedLifoSemaphore(0);
        long released = 0;
        long taken = 0;
        var budget = Budget.Of(500);
        Race.Run(Release, Release, Take, Take, Take);
        while (semaphore.TryWait())
        {
            taken++;
        }

        Assert.Equal((released, 0), (taken, semaphore.Waiters));

        void Release()
        {
            for (var random = new Random(12); budget.HasTime;)
            {
                int count = random.Next(1, 4);
                Thread.SpinWait(random.Next(2) == 0 ? random.Next(2_000) : 25_000); // some 1 ms: as long as the shortest wait
                Assert.True(semaphore.Release(count));
                Interlocked.Add(ref released, count);
            }
        }

        void Take()
        {
            for (var random = new Random(21); budget.HasTime;)
            {
                if (semaphore.Wait(random.Next(3) * 300 * Microsecond))
                {
                    Interlocked.Increment(ref taken);
                }
            }
        }
    }

    [Fact]
    public void T15_T56_EachOfManyWaiters_GetsItsPermit()
    {
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            var semaphore = new ManagedLifoSemaphore(0);
            Race.Run(Wait, Wait, Wait, () => Assert.True(semaphore.Release(1)), () => Assert.True(semaphore.Release(2)));
            Assert.Equal((0, 0), (semaphore.Permits, semaphore.Waiters));

            void Wait() => Assert.True(semaphore.Wait(Deadline.Time.Ticks * TimeSpan.NanosecondsPerTick), "a permit was lost");
        }
    }

    [Fact]
    public void T20_T57_MorePermitsThanThereMayBe_AreRefused_AndNoneIsAdded()
    {
        var semaphore = new ManagedLifoSemaphore(int.MaxValue - 1);
        Assert.False(semaphore.Release(2));
        Assert.True(semaphore.Release(1));
        Assert.False(semaphore.Release(int.MaxValue));
        Assert.Equal(int.MaxValue, semaphore.Permits);
        Assert.True(semaphore.Wait(-1));
    }
}
