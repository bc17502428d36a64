using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A timer whose callback has not returned does not fire; it fires for the missed times when the callback returns.</summary>
public sealed class TimerHandOverTests : HandOverTest
{
    [Fact]
    public void PeriodicTimer_IsNotReentered_AndFiresBehindItsCall()
    {
        using EventLoopTimer timer = BlockingTimer();
        timer.Arm(TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        AwaitCall();
        AwaitTimers();

        Assert.Equal(1, Calls);
        LetGo();
        Deadline.Until(() => Calls >= 3);
        Assert.Equal(0, Overlaps);
    }

    [Fact]
    public void OneShot_ThatIsDueWhileItsCallbackBlocks_FiresOnceWhenThatReturns()
    {
        using EventLoopTimer timer = BlockingTimer();
        timer.Arm(TimeSpan.Zero);
        AwaitCall();
        timer.Arm(TimeSpan.Zero);
        AwaitTimers();
        Assert.Equal(1, Calls);
        Assert.True(timer.IsArmed);

        LetGo();
        Deadline.Until(() => Calls == 2);
        AwaitTimers();
        Assert.Equal((2, 0), (Calls, Overlaps));
        Assert.False(timer.IsArmed);
    }

    [Fact]
    public void Cancel_AlsoTakesBackWhatWasMissed()
    {
        using EventLoopTimer timer = BlockingTimer();
        timer.Arm(TimeSpan.Zero);
        AwaitCall();
        timer.Arm(TimeSpan.Zero);
        AwaitTimers();
        OnLoop(timer.Cancel);
        LetGo();
        Deadline.Until(() => Inside == 0);
        AwaitTimers();
        AwaitTimers();
        Assert.Equal(1, Calls);
    }

    [Fact]
    public async Task DisposeAsync_ElsewhereAndOnTheLoop_WaitsForTheBlockedCall()
    {
        EventLoopTimer timer = BlockingTimer();
        timer.Arm(TimeSpan.Zero);
        AwaitCall();
        Task elsewhere = timer.DisposeAsync().AsTask();
        Task onLoop = OnLoop(() => timer.DisposeAsync().AsTask());
        AwaitTimers();
        Assert.False(elsewhere.IsCompleted || onLoop.IsCompleted);

        LetGo();
        await Deadline.For(Task.WhenAll(elsewhere, onLoop));
        Assert.Equal(0, Inside);
    }

    [Fact]
    public async Task FormerDriver_ArmsAndDisposesTimers()
    {
        var fired = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var timer = new EventLoopTimer(Loop, _ => fired.SetResult(Loop.IsInLoop), null);
        using var other = new EventLoopTimer(Loop, static _ => Assert.Fail("disposed"), null);
        other.Arm(TimeSpan.FromHours(1));
        Task ended = BlockTheLoop(last: () =>
        {
            timer.Arm(TimeSpan.Zero);
            other.Dispose();
        });
        LetGo();
        await Deadline.For(ended);
        Assert.True(await Deadline.For(fired.Task));
        Deadline.Until(() => !other.IsArmed);
    }

    [Fact]
    public void Delay_OfTheTimeProvider_EndsInABlockedCallback() =>
        OnLoop(() => Deadline.Wait(Task.Delay(TimeSpan.FromMilliseconds(5), Loop.TimeProvider)));

    private EventLoopTimer BlockingTimer() => new(Loop, _ => BlockInCall(), null);

    /// <summary>Returns when timers that are due now have been looked at.</summary>
    private void AwaitTimers()
    {
        using var later = new ManualResetEventSlim();
        using var timer = new EventLoopTimer(Loop, _ => later.Set(), null);
        timer.Arm(TimeSpan.FromMilliseconds(5));
        Deadline.Wait(later);
    }
}
