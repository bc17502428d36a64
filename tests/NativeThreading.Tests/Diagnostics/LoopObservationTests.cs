using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What observers see of event loops.</summary>
public sealed class LoopObservationTests
{
    private static readonly TimeSpan s_turn = TimeSpan.FromMilliseconds(60);

    [Fact]
    public void LongTurn_IsSeenWhileItRuns_AndOnceByEachObserver()
    {
        using ThreadObserver first = new(), second = new();
        using var loop = new EventLoop(new EventLoopOptions { Name = "turns" });
        Deadline.Wait(loop.InvokeAsync(static () => { }));
        first.Look(loop);
        second.Look(loop);

        using var release = new ManualResetEventSlim();
        loop.Post(_ => release.Wait(Deadline.Time), null);
        Deadline.Until(() => first.Look(loop).LongestTurn > s_turn);
        Assert.True(first.Look(loop).BusyShare > 0.9);
        release.Set();
        Deadline.Wait(loop.InvokeAsync(static () => { }));
        Deadline.Until(() => first.Look(loop) is { LongestTurn: var longest } && longest < s_turn);
        LoopSnapshot seen = second.Look(loop);
        Assert.True(seen.LongestTurn > s_turn);
        Assert.True(seen.TurnCount > 0);
        Assert.InRange(seen.BusyShare, 0, 1);
    }

    [Fact]
    public void RunningTurn_GrowsWhileACallbackHoldsUpTheLoop_AndIsZeroWhenThatSleeps()
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "held up" });
        loop.WaitUntilAsleep(); // the turn that it wakes to begins behind the observer
        using var observer = new ThreadObserver();
        long began = Stopwatch.GetTimestamp();
        Deadline.Until(() => Stopwatch.GetElapsedTime(began) > s_turn);
        Assert.Equal(TimeSpan.Zero, observer.Look(loop).RunningTurn);
        began = Stopwatch.GetTimestamp();
        using (new OccupiedLoop(loop))
        {
            TimeSpan running = observer.Look(loop).RunningTurn;
            Assert.True(running <= Stopwatch.GetElapsedTime(began), $"{running}: it counts from the waking, not from the observer's beginning");
            Deadline.Until(() => observer.Look(loop).RunningTurn > s_turn);
            TimeSpan before = observer.Look(loop).RunningTurn;
            Deadline.Until(() => observer.Look(loop).RunningTurn > before);
        }

        Deadline.Until(() => observer.Look(loop) is { RunningTurn.Ticks: 0 });
    }

    [Fact]
    public void TurnThatBeganUnobserved_CountsFromThenOn()
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "held up before" });
        ThreadObserver observer;
        using (new OccupiedLoop(loop))
        {
            observer = new ThreadObserver();
            long began = Stopwatch.GetTimestamp();
            Deadline.Until(() => observer.Look(loop).RunningTurn > s_turn);
            LoopSnapshot seen = observer.Look(loop);
            Assert.True(seen.LongestTurn >= s_turn && seen.RunningTurn < Stopwatch.GetElapsedTime(began) + s_turn);
            Assert.Equal(0, loop.Turns.Count);
        }

        Deadline.Until(() => observer.Look(loop) is { RunningTurn.Ticks: 0 });
        Assert.NotEqual(0, loop.Turns.Count);
        observer.Dispose();
    }

    [Fact]
    public void ArmedTimersAndDescriptors_AreCounted()
    {
        using var observer = new ThreadObserver();
        using var loop = new EventLoop(new EventLoopOptions { Name = "timers" });
        using var armed = new EventLoopTimer(loop, static _ => { }, null);
        using var idle = new EventLoopTimer(loop, static _ => { }, null);
        armed.Arm(TimeSpan.FromHours(1));
        Deadline.Wait(loop.InvokeAsync(static () => { }));
        LoopSnapshot seen = observer.Look(loop);
        Assert.Equal((1, 0), (seen.ArmedTimerCount, seen.RegistrationCount));
    }

    [Fact]
    public void WithoutAnObserver_NoTurnIsCounted()
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "unobserved" });
        using var slept = new AutoResetEvent(initialState: false);
        using var alarm = new EventLoopTimer(loop, static state => ((AutoResetEvent)state!).Set(), slept);
        SleepsAndWakes();
        SleepsAndWakes();
        Assert.Equal(0, loop.Turns.Count);
        using (var observer = new ThreadObserver())
        {
            observer.Look(loop);
            SleepsAndWakes();
            SleepsAndWakes();
            Assert.NotEqual(0, loop.Turns.Count);
        }

        SleepsAndWakes(); // the last turn that was observed has ended
        long counted = loop.Turns.Count;
        SleepsAndWakes();
        SleepsAndWakes();
        Assert.Equal(counted, loop.Turns.Count);

        // Callbacks that are posted one behind the other may all run in one turn. A timer's turn begins behind a sleep.
        void SleepsAndWakes()
        {
            alarm.Arm(TimeSpan.FromMilliseconds(1));
            Assert.True(slept.WaitOne(Deadline.Time));
        }
    }
}
