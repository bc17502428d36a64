using NativeThreading.Tests.Support;

namespace NativeThreading.Tests;

/// <summary>Permits that meet waiters which come, time out and leave.</summary>
[Trait("Category", "Race")]
public sealed class SemaphoreRaceTests
{
    [Fact]
    public void WaitersThatTimeOut_LoseNoPermitAndNoWake()
    {
        foreach (int round in RaceTime.Rounds())
        {
            const int waiters = 3;
            const int permits = 30;
            using var semaphore = new LifoSemaphore();
            int taken = 0;
            StartGate.Run(waiters + 1, thread =>
            {
                if (thread == waiters)
                {
                    for (int i = 0; i < permits; i++)
                    {
                        semaphore.Release();
                        Thread.SpinWait((round + i) % 30 * 20);
                    }

                    return;
                }

                long began = Environment.TickCount64;
                while (Volatile.Read(ref taken) < permits)
                {
                    if (semaphore.Wait(TimeSpan.FromMicroseconds((round + thread) % 4 * 50)))
                    {
                        Interlocked.Increment(ref taken);
                    }

                    Assert.True(Environment.TickCount64 - began < Deadline.Time.TotalMilliseconds, $"round {round}: {taken} of {permits} taken");
                }
            });
            Assert.Equal((permits, 0), (taken, semaphore.CurrentCount));
        }
    }

    [Fact]
    public void EachReleaseWakesAWaiter()
    {
        using var there = new LifoSemaphore();
        using var back = new LifoSemaphore();
        foreach (int round in RaceTime.Rounds())
        {
            const int rounds = 20;
            StartGate.Run(4, thread =>
            {
                for (int i = 0; i < rounds; i++)
                {
                    (LifoSemaphore to, LifoSemaphore from) = thread < 2 ? (there, back) : (back, there);
                    to.Release();
                    Assert.True(from.Wait(Deadline.Time), $"the permit of round {round}");
                }
            });
            Assert.Equal((0, 0), (there.CurrentCount, back.CurrentCount));
        }
    }
}
