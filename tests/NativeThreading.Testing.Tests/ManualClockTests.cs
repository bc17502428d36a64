namespace NativeThreading.Testing.Tests;

/// <summary>Time passes when the test says so, and timers call back on the pool.</summary>
public sealed class ManualClockTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly ManualThreadPool _pool = new();
    private readonly List<string> _log = [];

    private ManualClock Clock => _pool.Clock;

    [Fact]
    public void Time_StandsStillUntilItIsAdvanced()
    {
        DateTimeOffset start = Clock.GetUtcNow();
        long timestamp = Clock.GetTimestamp();
        Assert.Equal(start, Clock.GetUtcNow());
        Clock.Advance(s_second);
        Assert.Equal((start + s_second, s_second), (Clock.GetUtcNow(), Clock.GetElapsedTime(timestamp)));
        Assert.Equal(TimeSpan.Zero, Clock.GetLocalNow().Offset);
        Assert.Throws<ArgumentOutOfRangeException>("time", () => Clock.Advance(TimeSpan.FromTicks(-1)));
        Assert.Throws<ArgumentOutOfRangeException>("time", () => Clock.Advance(TimeSpan.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>("time", () => _pool.RunFor(TimeSpan.FromTicks(-1)));
    }

    [Fact]
    public void Timers_FireInTheOrderOfTheirDueTimes_EqualOnesAsTheyWereSet()
    {
        Timer("c", 3);
        Timer("a", 1);
        Timer("b1", 2);
        Timer("b2", 2);
        Clock.Advance(2 * s_second);
        Assert.Empty(_log); // nothing runs yet
        Assert.Equal(3, _pool.RunAll());
        Assert.Equal(["a", "b1", "b2"], _log);
        Clock.Advance(s_second - TimeSpan.FromTicks(1));
        Assert.Equal(0, _pool.RunAll());
        Clock.Advance(TimeSpan.FromTicks(1));
        Assert.Equal(1, _pool.RunAll());
    }

    [Fact]
    public void TimerDueAtOnce_FiresWhenTheClockIsNextLookedAt()
    {
        Timer("now", 0);
        Assert.Equal(0, _pool.RunAll());
        Clock.Advance(TimeSpan.Zero);
        Assert.Equal(1, _pool.RunAll());
    }

    [Fact]
    public void PeriodicTimer_FiresOncePerPeriod()
    {
        using ITimer timer = Timer("tick", 2, period: 1);
        Clock.Advance(5 * s_second);
        Assert.Equal(4, _pool.RunAll());
        Assert.Equal(Clock.GetUtcNow() + s_second, Clock.NextDueTime);
        Assert.True(timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        Assert.Equal((0, null), (Clock.ActiveTimerCount, Clock.NextDueTime));
        Clock.Advance(5 * s_second);
        Assert.Equal(0, _pool.RunAll());
    }

    [Fact]
    public void TimerThatIsDisposedOrChanged_TakesItsWaitingCallbacksBack()
    {
        ITimer disposed = Timer("disposed", 1, period: 1);
        ITimer changed = Timer("changed", 1);
        Timer("kept", 1);
        Clock.Advance(3 * s_second);
        Assert.Equal(5, _pool.PendingWorkItemCount);
        disposed.Dispose();
        Assert.True(changed.Change(s_second, Timeout.InfiniteTimeSpan));
        Assert.Equal(1, _pool.RunAll());
        Assert.Equal(["kept"], _log);
        Assert.False(disposed.Change(s_second, s_second));
        Clock.Advance(s_second);
        _pool.RunAll();
        Assert.Equal(["kept", "changed"], _log);
    }

    [Fact]
    public void Callback_HasTheContextOfItsTimersCreation()
    {
        var local = new AsyncLocal<string?> { Value = "created" };
        Clock.CreateTimer(_ => _log.Add(local.Value ?? "-"), null, s_second, Timeout.InfiniteTimeSpan);
        using (ExecutionContext.SuppressFlow())
        {
            Clock.CreateTimer(_ => _log.Add(local.Value ?? "-"), null, s_second, Timeout.InfiniteTimeSpan);
        }

        local.Value = "advanced";
        _pool.RunFor(s_second);
        Assert.Equal(["created", "-"], _log);
    }

    [Fact]
    public void RunFor_IsTimeAsItWouldPass()
    {
        var seen = new List<double>();
        DateTimeOffset start = Clock.GetUtcNow();
        Task polling = _pool.Run(
            async () =>
            {
                for (int i = 0; i < 5; i++)
                {
                    await Task.Delay(s_second, Clock);
                    seen.Add((Clock.GetUtcNow() - start).TotalSeconds);
                    Assert.Same(_pool, ManualThreadPool.Current);
                }
            },
            CancellationToken.None);
        _pool.RunFor(3.5 * s_second);
        Assert.Equal([1, 2, 3], seen);
        Assert.Equal(start + (3.5 * s_second), Clock.GetUtcNow());
        _pool.RunFor(1.5 * s_second);
        Assert.Equal([1, 2, 3, 4, 5], seen);
        Assert.True(polling.IsCompletedSuccessfully);
        Assert.Equal(0, Clock.ActiveTimerCount);
    }

    [Fact]
    public void WhatTheFrameworkBuildsOnATimeProvider_Works()
    {
        using var source = new CancellationTokenSource(2 * s_second, Clock);
        int ticks = 0;
        Task operation = _pool.Run(
            async () =>
            {
                using var timer = new PeriodicTimer(s_second, Clock);
                while (await timer.WaitForNextTickAsync(CancellationToken.None))
                {
                    if (++ticks == 4)
                    {
                        return;
                    }
                }
            },
            CancellationToken.None);
        Task<int> timedOut = _pool.Run(
            async () => await new TaskCompletionSource<int>().Task.WaitAsync(3 * s_second, Clock),
            CancellationToken.None);
        _pool.RunFor(2 * s_second);
        Assert.True(source.IsCancellationRequested);
        Assert.Equal((2, false), (ticks, timedOut.IsCompleted));
        _pool.RunFor(2 * s_second);
        Assert.True(operation.IsCompletedSuccessfully);
        Assert.IsType<TimeoutException>(timedOut.Exception!.InnerException);
    }

    [Fact]
    public void TimesOutOfRange_AreRefused()
    {
        Assert.Throws<ArgumentNullException>("callback", () => Clock.CreateTimer(null!, null, s_second, s_second));
        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => Clock.CreateTimer(_ => { }, null, TimeSpan.FromMilliseconds(-2), s_second));
        Assert.Throws<ArgumentOutOfRangeException>("period", () => Clock.CreateTimer(_ => { }, null, s_second, TimeSpan.FromDays(50)));
    }

    [Fact]
    public void SameProgram_RunsTheSameWayEveryTime()
    {
        string[] first = Program();
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(first, Program());
        }

        Assert.True(first.Length > 100);

        static string[] Program()
        {
            var pool = new ManualThreadPool();
            var log = new List<string>();
            for (int i = 1; i <= 10; i++)
            {
                int number = i;
                pool.Run(
                    async () =>
                    {
                        for (int step = 0; step < 10; step++)
                        {
                            await Task.Delay(TimeSpan.FromMilliseconds(number * (step + 1) % 7), pool.Clock);
                            log.Add($"{pool.Clock.GetTimestamp()}: {number}.{step}");
                            await Task.Yield();
                            log.Add($"{number}.{step} yielded");
                        }
                    },
                    CancellationToken.None);
            }

            pool.RunFor(TimeSpan.FromMinutes(1));
            return [.. log];
        }
    }

    private ITimer Timer(string name, int due, int? period = null) => Clock.CreateTimer(
        _ => _log.Add(name), null, due * s_second, period is { } every ? every * s_second : Timeout.InfiniteTimeSpan);
}
