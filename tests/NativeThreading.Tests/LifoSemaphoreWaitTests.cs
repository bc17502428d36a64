using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests;

/// <summary>Threads that wait on the semaphore.</summary>
public sealed class LifoSemaphoreWaitTests : IDisposable
{
    private readonly LifoSemaphore _semaphore = new();

    public void Dispose() => _semaphore.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)] // 100 ns
    [InlineData(10_000)]
    [InlineData(500_000)]
    public void T21_Timeout_IsNeverEarly(long ticks)
    {
        for (int i = 0; i < 5; i++)
        {
            long started = Stopwatch.GetTimestamp();
            Assert.False(_semaphore.Wait(TimeSpan.FromTicks(ticks)));
            Assert.InRange(Stopwatch.GetElapsedTime(started).Ticks, ticks, Deadline.Time.Ticks);
        }
    }

    [Fact]
    public void T17_PermitsThatGoToOthers_DoNotShortenATimeout()
    {
        // The waiter is woken again and again for permits that another thread takes first.
        var timeout = TimeSpan.FromMilliseconds(60);
        bool stop = false;
        Race.Run(
            () =>
            {
                long started = Stopwatch.GetTimestamp();
                while (!_semaphore.Wait(timeout))
                {
                    Assert.True(Stopwatch.GetElapsedTime(started) >= timeout);
                    started = Stopwatch.GetTimestamp();
                    Volatile.Write(ref stop, true);
                }
            },
            () =>
            {
                for (long started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started) < 2 * timeout && !Volatile.Read(ref stop);)
                {
                    _semaphore.Release();
                    _semaphore.TryWait();
                }

                Deadline.Until(() => _semaphore.CurrentCount == 0 || _semaphore.TryWait());
                _semaphore.Release(); // ends the waiter's loop
            });
    }

    [Fact]
    public void T19_LastToWait_IsFirstToWake()
    {
        const int waiters = 4;
        var woken = new List<int>();
        var threads = new List<Thread>();
        for (int i = 0; i < waiters; i++)
        {
            int number = i;
            var thread = new Thread(() =>
            {
                _semaphore.Wait();
                lock (woken)
                {
                    woken.Add(number);
                }
            })
            { IsBackground = true };
            thread.Start();
            threads.Add(thread);
            Deadline.Until(() => Waiters() == number + 1, $"thread {number} parks");
        }

        for (int i = waiters - 1; i >= 0; i--)
        {
            _semaphore.Release();
            Deadline.Join(threads[i]);
        }

        Assert.Equal([3, 2, 1, 0], woken);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void T56_TwoPermits_ReleaseBothWaiters(int callsToRelease)
    {
        foreach (int round in Soak.Repeat(200))
        {
            Race.Run(
                () => Assert.True(_semaphore.Wait(Deadline.Time)),
                () => Assert.True(_semaphore.Wait(Deadline.Time)),
                () =>
                {
                    // Both parked, or one on its way, in turn.
                    Deadline.Until(() => Waiters() >= round % 3);
                    for (int call = 0; call < callsToRelease; call++)
                    {
                        _semaphore.Release(2 / callsToRelease);
                    }
                });
            Assert.Equal(0, _semaphore.CurrentCount);
        }
    }

    [Fact]
    public void T12_TimeoutsAgainstReleases_ConserveThePermits()
    {
        long released = 0, taken = 0;
        Budget budget = Budget.Of(500);
        Race.Run(
            () =>
            {
                var random = new Random(12);
                while (budget.HasTime)
                {
                    Thread.SpinWait(random.Next(3_000));
                    _semaphore.Release();
                    released++;
                }
            },
            Taker,
            Taker);

        while (_semaphore.TryWait())
        {
            taken++;
        }

        Assert.Equal(released, taken);

        void Taker()
        {
            var random = new Random(21);
            while (budget.HasTime)
            {
                if (_semaphore.Wait(TimeSpan.FromMicroseconds(random.Next(200))))
                {
                    Interlocked.Increment(ref taken);
                }
            }
        }
    }

    private int Waiters() => _semaphore.WaiterCount;
}
