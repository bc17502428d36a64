using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>The end of a provider's timer.</summary>
public abstract class TimeProviderDisposeContract<TTimers> : TimeProviderContract<TTimers>
    where TTimers : ITimersUnderTest, new()
{
    private int _fired;

    private void Fire() => Interlocked.Increment(ref _fired);

    [Theory, CombinatorialBooleans]
    public async Task Disposed_FiresNoMore_AndRefusesToChange(bool isAsync, bool isPeriodic)
    {
        TimeSpan period = isPeriodic ? TimeSpan.FromMilliseconds(1) : Timeout.InfiniteTimeSpan;
        ITimer timer = NewTimer(Fire, isPeriodic ? TimeSpan.Zero : Hour, period);
        if (isPeriodic)
        {
            Deadline.Until(() => Volatile.Read(ref _fired) > 2);
        }

        if (isAsync)
        {
            await Deadline.For(timer.DisposeAsync().AsTask());
        }
        else
        {
            timer.Dispose();
            PassDueTimers(); // what was firing at that moment
        }

        int fired = Volatile.Read(ref _fired);
        Assert.False(timer.Change(TimeSpan.Zero, period));
        Assert.False(timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        Assert.Throws<ArgumentOutOfRangeException>("dueTime", () => timer.Change(TimeSpan.MinValue, period));
        timer.Dispose();
        await Deadline.For(timer.DisposeAsync().AsTask());
        PassDueTimers();
        Assert.Equal(fired, _fired);
    }

    [Fact]
    public async Task DisposeAsync_CompletesWhenTheRunningCallbackHasEnded()
    {
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        bool hasEnded = false;
        ITimer timer = NewTimer(
            () =>
            {
                entered.Set();
                release.Wait(Deadline.Time);
                Volatile.Write(ref hasEnded, true);
            },
            TimeSpan.Zero,
            Timeout.InfiniteTimeSpan);
        Deadline.Wait(entered);
        Task disposed = timer.DisposeAsync().AsTask();
        Task again = timer.DisposeAsync().AsTask();
        Assert.False(disposed.IsCompleted);
        Assert.False(again.IsCompleted);
        Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan)); // disposed nevertheless
        release.Set();
        await Deadline.For(disposed);
        Assert.True(Volatile.Read(ref hasEnded));
        await Deadline.For(again);
    }

    [Fact]
    public async Task DisposeAsyncInItsCallback_CompletesAfterIt()
    {
        var disposal = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool? wasComplete = null;
        bool hasEnded = false;
        ITimer? timer = null;
        timer = NewTimer(
            () =>
            {
                Task disposed = timer!.DisposeAsync().AsTask();
                disposal.SetResult(disposed);
                Thread.Yield();
                wasComplete = disposed.IsCompleted;
                Volatile.Write(ref hasEnded, true);
            },
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await Deadline.For(await Deadline.For(disposal.Task));
        Assert.True(Volatile.Read(ref hasEnded));
        Assert.False(wasComplete);
    }

    [Fact]
    public async Task DisposeAsyncOfAnIdleTimer_Completes()
    {
        ITimer timer = NewTimer(Fire, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        await Deadline.For(timer.DisposeAsync().AsTask());
        ITimer fired = NewTimer(Fire, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        Deadline.Until(() => Volatile.Read(ref _fired) == 1);
        await Deadline.For(fired.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task DisposeAsyncByManyAtOnce_CompletesForEach()
    {
        foreach (int _ in Soak.Repeat(50))
        {
            ITimer timer = NewTimer(Fire, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
            var disposals = new Task[4];
            StartGate.Run(4, thread => disposals[thread] = timer.DisposeAsync().AsTask());
            await Deadline.For(Task.WhenAll(disposals));
            Assert.False(timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        }
    }
}

public sealed class LoopTimeProviderDispose : TimeProviderDisposeContract<LoopTimersUnderTest>;

public sealed class SystemTimeProviderDispose : TimeProviderDisposeContract<SystemTimersUnderTest>;

public sealed class StoppedLoopTimeProviderDispose : TimeProviderDisposeContract<StoppedLoopTimersUnderTest>;
