using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Timers when their loop shuts down: they fire while it drains, hold nothing up, and are disarmed at the stop.</summary>
public sealed class TimerShutdownTests : TimerTest
{
    private readonly ManualResetEventSlim _done = new();
    private int _fired;

    [Fact]
    public void ArmedTimer_DoesNotHoldUpTheShutdown_AndIsDisarmedByIt()
    {
        EventLoopTimer once = NewTimer(() => _fired++), periodic = NewTimer(() => _fired++);
        once.Arm(Hour);
        periodic.Arm(Hour, Hour);
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Assert.False(once.IsArmed);
        Assert.False(periodic.IsArmed);
        Assert.Equal(0, _fired);
    }

    [Fact]
    public void StoppedLoop_RefusesToArm_AndLetsTheRestPass()
    {
        EventLoopTimer used = NewTimer(() => _fired++), armed = NewTimer(() => _fired++), fresh = NewTimer(() => _fired++);
        OnLoop(() =>
        {
            used.Arm(Hour);
            used.Cancel();
            armed.Arm(Hour);
        });
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        foreach (EventLoopTimer timer in (ReadOnlySpan<EventLoopTimer>)[used, armed, fresh, new(Loop, static _ => { }, null)])
        {
            Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero));
            Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero, Hour));
            Assert.False(timer.IsArmed);
            timer.Cancel();
            Assert.False(timer.IsArmed);
            timer.Dispose();
            timer.Dispose();
        }

        Assert.Equal(0, _fired);
    }

    [Fact]
    public void DrainingLoop_FiresItsTimers_AndLetsOnlyItselfArm()
    {
        var finish = new TaskCompletionSource();
        Task operation = Loop.InvokeAsync(() => finish.Task);
        EventLoopTimer timer = null!;
        timer = NewTimer(() =>
        {
            if (++_fired < 10)
            {
                timer.Arm(TimeSpan.Zero);
            }
            else
            {
                finish.SetResult();
            }
        });
        timer.Arm(Milliseconds(50));
        Task stopped = Loop.ShutdownAsync(CancellationToken.None);
        EventLoopTimer refused = NewTimer(() => _fired = -1);
        Assert.Throws<ObjectDisposedException>(() => refused.Arm(TimeSpan.Zero));
        Deadline.Wait(operation);
        Deadline.Wait(stopped);
        Assert.Equal(10, _fired);
    }

    [Fact]
    public void AwaitOfADelayOnTheLoop_EndsBeforeTheLoopDoes()
    {
        EventLoop? where = null;
        Task operation = Loop.InvokeAsync(async () =>
        {
            _done.Set();
            await Task.Delay(Milliseconds(50), Loop.TimeProvider);
            where = EventLoop.Current;
        });
        Deadline.Wait(_done);
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Deadline.Wait(operation);
        Assert.Same(Loop, where);
    }

    [Fact]
    public void CallbackThatBeginsTheShutdown_IsItsTimersLast()
    {
        EventLoopTimer timer = NewTimer(() =>
        {
            _fired++;
            Loop.Dispose(); // begins only: it cannot wait for itself
            _done.Set();
        });
        timer.Arm(TimeSpan.Zero, Hour);
        Deadline.Wait(_done);
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void StopByToken_LeavesTimersUnfired_ThatAreDueWithTheRunningCallback()
    {
        using var release = new ManualResetEventSlim();
        Exception? thrown = null;
        EventLoopTimer behind = NewTimer(() => _fired++);
        EventLoopTimer running = NewTimer(() =>
        {
            _done.Set();
            release.Wait(Deadline.Time);
            thrown = Record.Exception(() => behind.Arm(TimeSpan.Zero)); // it could never fire
        });
        OnLoop(() =>
        {
            running.Arm(TimeSpan.Zero);
            behind.Arm(TimeSpan.Zero);
        });
        Deadline.Wait(_done);
        Deadline.Wait(Loop.ShutdownAsync(new CancellationToken(canceled: true)));
        release.Set();
        Deadline.Until(() => !behind.IsArmed && Volatile.Read(ref thrown) is not null);
        Assert.IsType<ObjectDisposedException>(thrown);
        Assert.Equal(0, _fired);
    }
}
