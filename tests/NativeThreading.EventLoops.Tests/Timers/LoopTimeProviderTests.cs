using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>What the framework builds on a TimeProvider fires on the loop's thread.</summary>
public sealed class LoopTimeProviderTests : TimerTest
{
    private TimeProvider Provider => Loop.TimeProvider;

    [Fact]
    public void CreateTimer_FiresOnTheLoop()
    {
        var where = new TaskCompletionSource<EventLoop?>();
        using ITimer timer = Provider.CreateTimer(
            _ => where.TrySetResult(EventLoop.Current), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Assert.Same(Loop, Deadline.Result(where.Task));
    }

    [Fact]
    public void Delay_ResumesOnTheLoop() => Deadline.Wait(Loop.InvokeAsync(async () =>
    {
        for (int i = 0; i < 20; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(i % 2), Provider);
            Assert.Same(Loop, EventLoop.Current);
        }
    }));

    [Fact]
    public async Task Delay_AwaitedElsewhere_CompletesByTheLoop()
    {
        Task<EventLoop?> completedBy;
        using (new OccupiedLoop(Loop)) // so the delay is not over when the continuation comes, which would then run here
        {
            completedBy = Task.Delay(Milliseconds(1), Provider).ContinueWith(
                static _ => EventLoop.Current, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        Assert.Same(Loop, await Deadline.For(completedBy));
    }

    [Fact]
    public async Task CancelledDelay_LeavesNoTimerBehind()
    {
        using var cancellation = new CancellationTokenSource();
        Task delay = Task.Delay(Hour, Provider, cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(delay));
        PassTurn();
        Assert.Empty(OnLoop(Loop.Targets.Snapshot));
    }

    [Fact]
    public void PeriodicTimer_TicksOnTheLoop() => Deadline.Wait(Loop.InvokeAsync(async () =>
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1), Provider);
        for (int i = 0; i < 20; i++)
        {
            Assert.True(await timer.WaitForNextTickAsync());
            Assert.Same(Loop, EventLoop.Current);
        }

        timer.Period = TimeSpan.FromMilliseconds(2);
        Assert.True(await timer.WaitForNextTickAsync());
        ValueTask<bool> next = timer.WaitForNextTickAsync();
        timer.Dispose();
        Assert.False(await next);
    }));

    [Fact]
    public void ForgottenPeriodicTimer_IsDisarmedByTheCollector()
    {
        Retention.AssertCollected(Forget());
        Deadline.Until(() => OnLoop(Loop.Targets.Snapshot).Length == 0);

        WeakReference Forget() => new(new PeriodicTimer(Milliseconds(1), Provider));
    }

    [Theory, CombinatorialBooleans]
    public void CancellationTokenSource_IsCancelledOnTheLoop(bool onLoop)
    {
        var where = new TaskCompletionSource<EventLoop?>();
        using CancellationTokenSource source = onLoop ? OnLoop(New) : New();
        using CancellationTokenRegistration registration = source.Token.Register(() => where.SetResult(EventLoop.Current));
        source.CancelAfter(Milliseconds(5));
        Assert.Same(Loop, Deadline.Result(where.Task));

        CancellationTokenSource New() => new(Hour, Provider);
    }

    [Fact]
    public void CancellationTokenSource_WhoseTimeIsTakenBack_IsNotCancelled()
    {
        // Armed on the loop, which then waits: however late this thread is, the time has not been told yet.
        using var armed = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        CancellationTokenSource source = null!;
        Task occupies = Loop.InvokeAsync(() =>
        {
            source = new CancellationTokenSource(Milliseconds(50), Provider);
            armed.Set();
            Deadline.Wait(release);
        });
        Deadline.Wait(armed);
        source.CancelAfter(Timeout.InfiniteTimeSpan);
        Burn(Milliseconds(60));
        release.Set();
        Deadline.Wait(occupies);

        PassDueTimers();
        Assert.False(source.IsCancellationRequested);
        source.Dispose();
    }

    [Fact]
    public async Task WaitAsync_TimesOut()
    {
        var never = new TaskCompletionSource();
        await Assert.ThrowsAsync<TimeoutException>(() => Deadline.For(never.Task.WaitAsync(Milliseconds(2), Provider)));
        await Assert.ThrowsAsync<TimeoutException>(() => Deadline.For(Loop.InvokeAsync(async () =>
        {
            try
            {
                await never.Task.WaitAsync(Milliseconds(2), Provider);
            }
            finally
            {
                Assert.Same(Loop, EventLoop.Current);
            }
        })));
    }

    [Fact]
    public async Task WaitAsync_ForWhatCompletes_LeavesNoTimerBehind()
    {
        var soon = new TaskCompletionSource();
        Task wait = soon.Task.WaitAsync(Hour, Provider);
        soon.SetResult();
        await Deadline.For(wait);
        Deadline.Until(() => OnLoop(Loop.Targets.Snapshot).Length == 0);
    }

    [Fact]
    public void ShortPeriod_KeepsItsTicks()
    {
        // The runtime's timers would take half a millisecond for 0, and fire once.
        using var fired = new CountdownEvent(3);
        using ITimer timer = Provider.CreateTimer(
            _ =>
            {
                if (!fired.IsSet)
                {
                    fired.Signal();
                }
            },
            null,
            Milliseconds(0.5),
            Milliseconds(0.5));
        Deadline.Wait(fired);
    }
}
