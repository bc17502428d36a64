using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>
/// A timer that another thread cancels or disposes of while the loop is about to call back (T139): no callback starts after that.
/// Code that has to know that no callback runs any more awaits the disposal.
/// </summary>
public sealed class TimerDisposeRaceTests : TimerTest
{
    [Theory]
    [InlineData("cancel", 0)]
    [InlineData("cancel", 1)]
    [InlineData("dispose", 0)]
    [InlineData("dispose", 1)]
    [InlineData("arm", 0)]
    [InlineData("arm", 1)]
    public void T139_AnotherThreadsCallInTheGapBeforeTheCallback_StopsIt(string call, int period)
    {
        // What the runtime calls when the callback's context is restored lies in just that gap.
        int started = 0;
        EventLoopTimer? timer = null;
        using var hasCalled = new ManualResetEventSlim();
        var local = new AsyncLocal<int>(change =>
        {
            if (change.ThreadContextChanged && Loop.IsInLoop && change.CurrentValue == 1 && !hasCalled.IsSet)
            {
                StartGate.Run(1, _ => Call(timer!, call));
                hasCalled.Set();
            }
        });
        local.Value = 1;
        timer = NewTimer(() => started++);
        local.Value = 0;
        if (period == 0)
        {
            timer.Arm(TimeSpan.Zero);
        }
        else
        {
            timer.Arm(TimeSpan.Zero, Milliseconds(period));
        }

        Deadline.Wait(hasCalled);
        PassDueTimers();
        Assert.Equal((0, call == "arm"), (started, timer.IsArmed));
        timer.Dispose();

        static void Call(EventLoopTimer timer, string call)
        {
            if (call == "arm")
            {
                timer.Arm(Hour);
            }
            else if (call == "cancel")
            {
                timer.Cancel();
            }
            else
            {
                timer.Dispose();
            }
        }
    }

    [Fact]
    public void T139_DisposedWhileTheCallbackRuns_TheAwaitedFormCompletesBehindIt()
    {
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        bool hasEnded = false;
        EventLoopTimer timer = NewTimer(() =>
        {
            entered.Set();
            Deadline.Wait(leave);
            Volatile.Write(ref hasEnded, true);
        });
        timer.Arm(TimeSpan.Zero, Milliseconds(1));
        Deadline.Wait(entered);
        timer.Dispose(); // waits for nothing
        Task disposed = timer.DisposeAsync().AsTask();
        Assert.False(disposed.IsCompleted);
        leave.Set();
        Deadline.Wait(disposed);
        Assert.True(Volatile.Read(ref hasEnded));
    }

    [Fact]
    public async Task DisposedAsync_OnTheLoopInItsOwnCallback_CompletesWhenThatHasEnded()
    {
        var disposed = new TaskCompletionSource<Task>();
        bool hasEnded = false;
        EventLoopTimer? timer = null;
        timer = NewTimer(() =>
        {
            Task own = timer!.DisposeAsync().AsTask();
            Assert.False(own.IsCompleted);
            disposed.SetResult(own);
            Volatile.Write(ref hasEnded, true);
        });
        timer.Arm(TimeSpan.Zero);
        await Deadline.For(await Deadline.For(disposed.Task));
        Assert.True(Volatile.Read(ref hasEnded));
        await Deadline.For(timer.DisposeAsync().AsTask());
        Assert.Throws<ObjectDisposedException>(() => timer.Arm(TimeSpan.Zero));
    }

    [Fact]
    public async Task DisposedAsync_WithoutALoop_Completes()
    {
        EventLoopTimer timer = NewTimer(static () => { });
        await Deadline.For(Loop.ShutdownAsync(CancellationToken.None));
        await Deadline.For(timer.DisposeAsync().AsTask());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void T139_AtAnyMoment_NoMoreThanTheCallThatHadBegunIsStillToCome(int kind)
    {
        int[] late = new int[Soak.Rounds(200)];
        foreach (int round in Soak.Repeat(200))
        {
            int own = round;
            int isOver = 0;
            int fired = 0;
            using EventLoopTimer timer = NewTimer(() =>
            {
                late[own] += Volatile.Read(ref isOver);
                Volatile.Write(ref fired, fired + 1);
            });
            timer.Arm(TimeSpan.Zero, TimeSpan.FromTicks(1));
            int calls = round % 5;
            Deadline.Until(() => Volatile.Read(ref fired) >= calls);
            Thread.SpinWait(round % 100);
            switch (kind)
            {
                case 0:
                    timer.Cancel();
                    break;
                case 1:
                    timer.Dispose();
                    break;
                default:
                    Deadline.Wait(timer.DisposeAsync().AsTask());
                    break;
            }

            Volatile.Write(ref isOver, 1);
            PassTurn();
        }

        Assert.All(late, count => Assert.InRange(count, 0, kind == 2 ? 0 : 1));
    }
}
