using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>A loop's TimeProvider while the loop shuts down and after it has stopped.</summary>
public sealed class LoopTimeProviderStopTests : TimerTest
{
    private readonly ManualResetEventSlim _entered = new();
    private readonly ManualResetEventSlim _release = new();

    [Fact]
    public async Task StoppedLoop_RefusesChanges_ButNotDisposals()
    {
        ITimer armed = NewTimer(Hour), idle = NewTimer(Timeout.InfiniteTimeSpan);
        await Deadline.For(Loop.ShutdownAsync(CancellationToken.None));
        foreach (ITimer timer in (ITimer[])[armed, idle])
        {
            Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
            timer.Dispose();
            await Deadline.For(timer.DisposeAsync().AsTask());
            Assert.False(timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        }
    }

    [Fact]
    public async Task StoppedLoop_LeavesNobodyWaitingForANewTimer()
    {
        // A PeriodicTimer whose constructor failed in CreateTimer would end the process in its finalizer.
        await Deadline.For(Loop.ShutdownAsync(CancellationToken.None));
        TimeProvider provider = Loop.TimeProvider;
        await Deadline.For(Task.Delay(Milliseconds(1), provider));
        using (var ticks = new PeriodicTimer(Milliseconds(1), provider))
        {
            Assert.True(await Deadline.For(ticks.WaitForNextTickAsync().AsTask()));
            Assert.True(await Deadline.For(ticks.WaitForNextTickAsync().AsTask()));
        }

        using var cancellation = new CancellationTokenSource(Milliseconds(1), provider);
        var cancelled = new TaskCompletionSource();
        cancellation.Token.Register(cancelled.SetResult);
        await Deadline.For(cancelled.Task);
        Assert.InRange(Loop.RanElsewhereCount, 4, long.MaxValue);

        Assert.Throws<ArgumentNullException>("callback", () => provider.CreateTimer(null!, null, Hour, Hour));
        Assert.Throws<ArgumentOutOfRangeException>("period", () => provider.CreateTimer(static _ => { }, null, Hour, TimeSpan.MinValue));
    }

    /// <summary>As after the stop, no async method hangs because its loop has gone.</summary>
    [Theory, CombinatorialBooleans]
    public async Task LoopThatEnds_LeavesNobodyWaitingForATimerThatItHad(bool stoppedByToken)
    {
        TimeProvider provider = Loop.TimeProvider;
        long began = Stopwatch.GetTimestamp();
        Task delay = Task.Delay(Milliseconds(400), provider);
        using var ticks = new PeriodicTimer(Milliseconds(300), provider);
        ValueTask<bool> tick = ticks.WaitForNextTickAsync();
        using var cancellation = new CancellationTokenSource(Milliseconds(350), provider);
        var cancelled = new TaskCompletionSource();
        cancellation.Token.Register(cancelled.SetResult);
        Task operation = stoppedByToken ? Loop.InvokeAsync(() => Task.Delay(Milliseconds(200), Loop.TimeProvider)) : Task.CompletedTask;
        PassTurn();

        await Deadline.For(Loop.ShutdownAsync(new CancellationToken(canceled: stoppedByToken)));
        await Deadline.For(Task.WhenAll(operation, cancelled.Task, delay));
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 400, double.MaxValue); // none was early
        Assert.True(await Deadline.For(tick.AsTask()));
        Assert.True(await Deadline.For(ticks.WaitForNextTickAsync().AsTask())); // and again
        Assert.InRange(Loop.RanElsewhereCount, 4, long.MaxValue);
    }

    [Fact]
    public async Task LoopThatEnds_TimerDisposedOf_DoesNotFire()
    {
        int fired = 0;
        OnLoop(() => Loop.TimeProvider.CreateTimer(_ => fired++, null, Milliseconds(20), Milliseconds(1)).Dispose()); // nothing fires in between
        ITimer disposedAfter = Loop.TimeProvider.CreateTimer(_ => fired++, null, Milliseconds(100_000), Milliseconds(1));
        var other = new TaskCompletionSource();
        using ITimer last = Loop.TimeProvider.CreateTimer(_ => other.TrySetResult(), null, Milliseconds(100), Timeout.InfiniteTimeSpan);
        PassTurn();
        await Deadline.For(Loop.ShutdownAsync(CancellationToken.None));
        await Deadline.For(disposedAfter.DisposeAsync().AsTask());
        await Deadline.For(other.Task);
        Assert.Equal(0, fired);
    }

    [Fact]
    public async Task DrainingLoop_ServesItselfAndOthers_AndEndsAfterItsOperations()
    {
        var finish = new TaskCompletionSource();
        Task operation = Loop.InvokeAsync(async () =>
        {
            await finish.Task;
            using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(1), Loop.TimeProvider);
            for (int i = 0; i < 5; i++)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(1), Loop.TimeProvider);
                Assert.True(await ticks.WaitForNextTickAsync());
            }
        });
        ITimer timer = NewTimer(Hour);
        PassTurn();
        Task stopped = Loop.ShutdownAsync(CancellationToken.None);
        var where = new TaskCompletionSource<EventLoop?>();
        using ITimer late = Loop.TimeProvider.CreateTimer(
            _ => where.SetResult(EventLoop.Current), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Assert.Same(Loop, await Deadline.For(where.Task));
        Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        await Deadline.For(timer.DisposeAsync().AsTask());
        finish.SetResult();
        await Deadline.For(operation);
        await Deadline.For(stopped);
    }

    [Theory, CombinatorialBooleans]
    public async Task StopByToken_DisposeAsync_StillWaitsForTheRunningCallback(bool disposedBeforeTheStop)
    {
        bool hasEnded = false;
        ITimer timer = Loop.TimeProvider.CreateTimer(
            _ =>
            {
                _entered.Set();
                _release.Wait(Deadline.Time);
                Volatile.Write(ref hasEnded, true);
            },
            null,
            TimeSpan.Zero,
            Timeout.InfiniteTimeSpan);
        Deadline.Wait(_entered);
        Task? disposal = disposedBeforeTheStop ? timer.DisposeAsync().AsTask() : null;
        await Deadline.For(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        disposal ??= timer.DisposeAsync().AsTask();
        Assert.False(disposal.IsCompleted);
        _release.Set();
        await Deadline.For(disposal);
        Assert.True(Volatile.Read(ref hasEnded));
    }

    [Fact]
    public void StopByToken_DelayInTheRunningCallback_Ends()
    {
        // The callback is still on the loop's thread when the loop has stopped.
        var outcome = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Loop.Post(
            async _ =>
            {
                _entered.Set();
                _release.Wait(Deadline.Time);
                outcome.SetResult(await Record.ExceptionAsync(() => Task.Delay(TimeSpan.FromMilliseconds(1), Loop.TimeProvider)));
            },
            null);
        Deadline.Wait(_entered);
        Deadline.Wait(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        _release.Set();
        Assert.Null(Deadline.Result(outcome.Task));
    }

    private ITimer NewTimer(TimeSpan dueTime) => Loop.TimeProvider.CreateTimer(static _ => { }, null, dueTime, Timeout.InfiniteTimeSpan);
}
