using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Only its loop keeps a timer alive, and only while the timer is armed.</summary>
public sealed class TimerRetentionTests : TimerTest
{
    private const int Count = 200;

    private int _fired;

    [Fact]
    public void ForgottenTimerThatHasFired_IsCollected_AndGivesItsPlaceBack()
    {
        AssertPlacesComeBack(timer => timer.Arm(TimeSpan.Zero));
        Assert.Equal(Count, _fired);
    }

    [Fact]
    public void ForgottenTimerThatWasCancelled_IsCollected_AndGivesItsPlaceBack() => AssertPlacesComeBack(static timer =>
    {
        timer.Arm(Hour);
        timer.Cancel();
    });

    [Fact]
    public void DisposedTimer_IsCollected_AndGivesItsPlaceBack() => AssertPlacesComeBack(static timer =>
    {
        timer.Arm(Hour);
        timer.Dispose();
    });

    [Fact]
    public void ForgottenTimerThatWasNeverArmed_IsCollected()
    {
        Retention.AssertCollected(Create(static _ => { }, onLoop: false));
        PassTurn();
    }

    [Theory, CombinatorialBooleans]
    public void ForgottenArmedTimer_IsKeptAlive_AndFires(bool onLoop)
    {
        WeakReference[] timers = Create(static timer => timer.Arm(Milliseconds(100)), onLoop);
        do
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        while (Volatile.Read(ref _fired) == 0);

        Deadline.Until(() => Volatile.Read(ref _fired) == Count);
        PassDueTimers(); // the loop's frame may hold the timer that fired last, until another one does
        Retention.AssertCollected(timers);
    }

    [Fact]
    public void ForgottenPeriodicTimer_IsKeptAlive_UntilTheLoopHasStopped()
    {
        WeakReference[] timers = Create(static timer => timer.Arm(TimeSpan.Zero, Milliseconds(1)), onLoop: true);
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            int fired = Volatile.Read(ref _fired);
            Deadline.Until(() => Volatile.Read(ref _fired) > fired + Count);
        }

        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Retention.AssertCollected(timers); // the loop itself is alive, for this test holds it
    }

    [Fact]
    public void ArmedTimers_DoNotKeepAStoppedLoopAlive()
    {
        Retention.AssertCollected(StoppedLoopWithTimers());
    }

    private void AssertPlacesComeBack(Action<EventLoopTimer> use)
    {
        WeakReference[] timers = Create(use, onLoop: true);
        PassDueTimers();
        Retention.AssertCollected(timers);
        PassTurn(); // to what the finalizers asked of the loop
        (int target, long handle) = OnLoop(() =>
        {
            int target = Loop.Targets.Add(null);
            long handle = Loop.Native.CreateTimer((ulong)target);
            Assert.Equal(0, Loop.Native.DestroyTimer(handle));
            Loop.Targets.Remove(target);
            return (target, handle);
        });

        // Numbers that were given out before; the upper half of a native handle counts how often.
        Assert.InRange(target, 0, Count);
        if (NativeThreadPool.Core == ThreadingCore.Native)
        {
            Assert.InRange((uint)handle, 0u, (uint)Count);
            Assert.NotEqual(0, handle >> 32);
        }
    }

    /// <summary>Half of the references are to timers, half to their states.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference[] Create(Action<EventLoopTimer> use, bool onLoop)
    {
        var references = new WeakReference[2 * Count];
        void CreateAll()
        {
            for (int i = 0; i < Count; i++)
            {
                object state = new();
                var timer = new EventLoopTimer(Loop, _ => _fired++, state);
                (references[i], references[Count + i]) = (new WeakReference(timer), new WeakReference(state));
                use(timer);
            }
        }

        if (onLoop)
        {
            OnLoop(CreateAll);
        }
        else
        {
            CreateAll();
        }

        return references;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] StoppedLoopWithTimers()
    {
        var loop = new EventLoop(new EventLoopOptions { Name = "forgotten" });
        var timer = new EventLoopTimer(loop, static _ => { }, null);
        timer.Arm(Hour);
        var unarmed = new EventLoopTimer(loop, static _ => { }, null);
        Deadline.Wait(loop.InvokeAsync(() =>
        {
            unarmed.Arm(Hour);
            unarmed.Cancel();
        }));
        Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
        return [new(loop), new(timer), new(unarmed)];
    }
}
