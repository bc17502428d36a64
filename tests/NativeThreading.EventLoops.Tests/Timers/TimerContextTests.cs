using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>The context of a timer's callback is that of its constructor's caller, and stays its own.</summary>
public sealed class TimerContextTests : TimerTest
{
    private readonly AsyncLocal<string?> _local = new();
    private readonly ManualResetEventSlim _done = new();
    private readonly List<string?> _seen = [];

    [Fact]
    public void ContextOfTheConstructor_FlowsToTheCallback_NotThatOfArm()
    {
        _local.Value = "constructor";
        using EventLoopTimer timer = NewTimer(Look);
        _local.Value = "arm";
        FireOnce(timer);
        FireOnce(timer);
        OnLoop(() => timer.Arm(TimeSpan.Zero));
        Deadline.Until(() => OnLoop(() => _seen.Count) == 3);
        Assert.Equal(["constructor", "constructor", "constructor"], _seen);
    }

    [Fact]
    public void SuppressedFlow_LeavesTheDefaultContext()
    {
        _local.Value = "set";
        EventLoopTimer timer;
        using (ExecutionContext.SuppressFlow())
        {
            timer = NewTimer(Look);
        }

        FireOnce(timer);
        Assert.Equal([null], _seen);
    }

    [Fact]
    public void WhatACallbackSets_IsGoneInTheNext()
    {
        using EventLoopTimer timer = InDefaultContext(() => NewTimer(() =>
        {
            Look();
            _local.Value = "left behind";
        }));
        using EventLoopTimer other = InDefaultContext(() => NewTimer(Look));
        FireOnce(timer);
        FireOnce(timer); // the same timer
        FireOnce(other); // another one
        Assert.Null(InDefaultContext(() => OnLoop(() => _local.Value))); // a posted callback
        Assert.Equal([null, null, null], _seen);
    }

    [Fact]
    public void SynchronizationContextInACallback_IsTheLoops()
    {
        SynchronizationContext? seen = null;
        using EventLoopTimer timer = NewTimer(() =>
        {
            seen = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(null);
            _done.Set();
        });
        for (int i = 0; i < 2; i++)
        {
            FireOnce(timer);
            Assert.Same(Loop.SynchronizationContext, seen);
        }
    }

    [Fact]
    public async Task AwaitInACallback_ResumesOnTheLoop()
    {
        var resumed = new TaskCompletionSource<EventLoop?>();
        async void Callback()
        {
            await Task.Yield();
            await Task.Run(static () => { });
            resumed.SetResult(EventLoop.Current);
        }

        using EventLoopTimer timer = NewTimer(Callback);
        timer.Arm(TimeSpan.Zero);
        Assert.Same(Loop, await Deadline.For(resumed.Task));
    }

    private static T InDefaultContext<T>(Func<T> function)
    {
        T? result = default;
        StartGate.Run(1, _ => result = function());
        return result!;
    }

    private void Look()
    {
        _seen.Add(_local.Value);
        _done.Set();
    }

    private void FireOnce(EventLoopTimer timer)
    {
        _done.Reset();
        timer.Arm(TimeSpan.Zero);
        Deadline.Wait(_done);
    }
}
