using System.Diagnostics;
using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;
using NativeThreading.Time;

namespace NativeThreading.Tests.Time;

/// <summary>Timers of <see cref="NativeThreadPool.TimeProvider"/>.</summary>
public sealed class PoolTimerTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(2);

    [Fact]
    public async Task DelayInAnOperation_ResumesInTheItemOfItsTimer()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        NativeThreadPool? current = await Deadline.For(pool.Run(async () =>
        {
            await Task.Delay(s_soon, pool.TimeProvider);
            return NativeThreadPool.Current;
        }));
        Assert.Same(pool, current);
        pool.WaitUntilQuiet();
        Assert.Equal(2, pool.CompletedWorkItemCount);
    }

    [Fact]
    public async Task PeriodicTimer_TicksUntilItIsDisposed()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        int ticks = await Deadline.For(pool.Run(async () =>
        {
            using var timer = new PeriodicTimer(s_soon, pool.TimeProvider);
            int ticks = 0;
            while (ticks < 5 && await timer.WaitForNextTickAsync())
            {
                ticks++;
                Assert.Same(pool, NativeThreadPool.Current);
            }

            return ticks;
        }));
        Assert.Equal(5, ticks);
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    [Fact]
    public void Timer_CallsBackOnThePool_NotBeforeItsTime_InItsContext()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<string> { Value = "flows" };
        var seen = new TaskCompletionSource<(NativeThreadPool?, string?, TimeSpan, object?)>(TaskCreationOptions.RunContinuationsAsynchronously);
        var due = TimeSpan.FromMilliseconds(7.3);
        long began = Stopwatch.GetTimestamp();
        using ITimer timer = pool.TimeProvider.CreateTimer(
            state => seen.SetResult((NativeThreadPool.Current, local.Value, Stopwatch.GetElapsedTime(began), state)), "state", due, Timeout.InfiniteTimeSpan);
        (NativeThreadPool? current, string? value, TimeSpan waited, object? state) = Deadline.Result(seen.Task);
        Assert.Same(pool, current);
        Assert.Equal("flows", value);
        Assert.Equal("state", state);
        Assert.True(waited >= due, $"{waited} < {due}");
    }

    [Fact]
    public void Timers_FireInTheOrderOfTheirDueTimes()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var left = new CountdownEvent(3);
        var order = new List<int>();
        int[] due = [30, 10, 20];
        ITimer[] timers =
        [
            .. due.Select(ms => pool.TimeProvider.CreateTimer(
                _ =>
                {
                    order.Add(ms);
                    left.Signal();
                },
                null,
                TimeSpan.FromMilliseconds(ms),
                Timeout.InfiniteTimeSpan)),
        ];
        Deadline.Wait(left);
        Assert.Equal([10, 20, 30], order);
        Array.ForEach(timers, static timer => timer.Dispose());
    }

    [Fact]
    public void ClockAndTimeZone_AreThoseOfTheSystem()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        TimeProvider time = pool.TimeProvider;
        Assert.Same(time, pool.TimeProvider);
        Assert.Equal(TimeProvider.System.TimestampFrequency, time.TimestampFrequency);
        Assert.Same(TimeProvider.System.LocalTimeZone, time.LocalTimeZone);
        long before = TimeProvider.System.GetTimestamp();
        DateTimeOffset earlier = TimeProvider.System.GetUtcNow();
        Assert.InRange(time.GetTimestamp(), before, TimeProvider.System.GetTimestamp());
        Assert.InRange(time.GetUtcNow(), earlier, TimeProvider.System.GetUtcNow());
    }

    [Theory, CombinatorialBooleans]
    public void CallbackThatWaitsInTheQueue_DoesNotRunAfterAChangeOrADisposal(bool dispose)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        int calls = 0;
        using (new BlockedWorkers(pool, 1))
        {
            ITimer timer = pool.TimeProvider.CreateTimer(_ => calls++, null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            Deadline.Until(() => pool.PendingWorkItemCount == 1);
            if (dispose)
            {
                timer.Dispose();
                Assert.False(timer.Change(TimeSpan.Zero, TimeSpan.Zero));
            }
            else
            {
                Assert.True(timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
            }
        }

        pool.WaitUntilQuiet();
        Assert.Equal(0, calls);
    }

    [Fact]
    public void TicksWhileACallbackWaits_AreOneCallback()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        int ticks = 0;
        int calls = 0;
        using (new BlockedWorkers(pool, 1))
        {
            using ITimer late = pool.TimeProvider.CreateTimer(_ => calls++, null, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
            using ITimer clock = other.TimeProvider.CreateTimer(_ => Interlocked.Increment(ref ticks), null, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
            Deadline.Until(() => Volatile.Read(ref ticks) >= 5);
            Assert.Equal(1, pool.PendingWorkItemCount);
        }

        pool.WaitUntilQuiet();
        Assert.Equal(0, calls);
    }

    [Fact]
    public async Task DisposeAsync_CompletesWhenTheCallbackHas()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        using var began = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        ITimer timer = pool.TimeProvider.CreateTimer(
            _ =>
            {
                began.Set();
                Deadline.Wait(release);
            },
            null,
            TimeSpan.Zero,
            TimeSpan.FromMilliseconds(1));
        Deadline.Wait(began);
        Task disposed = timer.DisposeAsync().AsTask();
        Assert.False(disposed.IsCompleted);
        release.Set();
        await Deadline.For(disposed);
        await Deadline.For(timer.DisposeAsync().AsTask());
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    [Fact]
    public void CallbackThatThrows_IsHandledLikeARawItem_AndTheTimerGoesOn()
    {
        using var thrice = new CountdownEvent(3);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, UnhandledException = static exception => exception is FormatException });
        ITimer timer = pool.TimeProvider.CreateTimer(
            _ =>
            {
                if (!thrice.IsSet)
                {
                    thrice.Signal();
                }

                throw new FormatException();
            },
            null,
            TimeSpan.Zero,
            TimeSpan.FromMilliseconds(1));
        Deadline.Wait(thrice);
        timer.Dispose();
    }

    [Fact]
    public void FullQueue_RejectsNoCallback()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        using var called = new ManualResetEventSlim();
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            using ITimer timer = pool.TimeProvider.CreateTimer(_ => called.Set(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            Deadline.Until(() => pool.PendingWorkItemCount == 2);
            timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            Deadline.Until(() => PoolTimers.ArmedCount == 0);
            pool.TimeProvider.CreateTimer(_ => called.Set(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }

        Deadline.Wait(called);
    }

    [Fact]
    public async Task TimerOfAPoolThatHasStopped_StillCallsBack()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var called = new TaskCompletionSource();
        using ITimer timer = pool.TimeProvider.CreateTimer(_ => called.SetResult(), null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan);
        await Deadline.For(pool.DisposeAsync().AsTask());
        timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await Deadline.For(called.Task);
        Assert.Equal(1, pool.RanElsewhereCount);
    }

    [Fact]
    public void TimesOutOfRange_Throw()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        TimeProvider time = pool.TimeProvider;
        Assert.Throws<ArgumentNullException>("callback", () => time.CreateTimer(null!, null, TimeSpan.Zero, TimeSpan.Zero));
        var error = Assert.Throws<ArgumentOutOfRangeException>(
            "dueTime", () => time.CreateTimer(static _ => { }, null, TimeSpan.FromMilliseconds(-2), TimeSpan.Zero));
        Assert.StartsWith("dueTime must be between 0 and 4294967294 ms, or Timeout.InfiniteTimeSpan, but was -00:00:00.0020000.", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(
            "period", () => time.CreateTimer(static _ => { }, null, TimeSpan.Zero, TimeSpan.FromMilliseconds(4_294_967_295)));
        using ITimer never = time.CreateTimer(static _ => { }, null, TimeSpan.FromMilliseconds(4_294_967_294), Timeout.InfiniteTimeSpan);
        Assert.Equal(1, PoolTimers.ArmedCount);
    }

    [Fact]
    public void PendingTimer_TakesAtMost100Bytes()
    {
        const int Count = 200_000;
        using NativeThreadPool pool = Pools.WithThreads(1);
        using ITimer first = pool.TimeProvider.CreateTimer(static _ => { }, null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan);
        var timers = new ITimer[Count];
        TimerCallback callback = static _ => { };
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < Count; i++)
        {
            timers[i] = pool.TimeProvider.CreateTimer(callback, null, TimeSpan.FromHours(1), TimeSpan.FromHours(1));
        }

        long bytes = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.Equal(Count + 1, PoolTimers.ArmedCount);
        Array.ForEach(timers, static timer => timer.Dispose());
        Assert.Equal(1, PoolTimers.ArmedCount);
        Assert.True(bytes <= 100L * Count, $"{(double)bytes / Count:F1} bytes each");
    }
}
