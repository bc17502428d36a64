using NativeThreading.Tests.Support;
using static NativeThreading.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A registration that goes on on another loop.</summary>
public sealed class MovingTests : MovingTest
{
    private static readonly AsyncLocal<string?> s_local = new();

    [Fact]
    public void Moved_IsToldByTheNewLoop_WithStateAndContext()
    {
        var told = new TaskCompletionSource<(EventLoop?, object?, string?)>(TaskCreationOptions.RunContinuationsAsynchronously);
        s_local.Value = "here";
        EventLoopRegistration registration = Loop.Register(
            Pair.Here, Read, (_, state) => told.TrySetResult((EventLoop.Current, state, s_local.Value)), "state");
        s_local.Value = null;
        Deadline.Wait(registration.MoveToAsync(Other));
        Assert.Equal((Other, Read), (registration.Loop, registration.Interest));

        Pair.There.Write(1);
        Assert.Equal((Other, "state", "here"), Deadline.Result(told.Task));
        Assert.Throws<InvalidOperationException>(() => OnLoop(() => registration.Read(new byte[1])));
        Assert.Equal(1, OnOther(() => registration.Read(new byte[1])).Count);
        OnOther(registration.Dispose);
        Pair.Here.Dispose();
        Assert.True(Pair.Here.IsReleased);
    }

    [Theory]
    [InlineData(Read)]
    [InlineData(Read | EdgeTriggered)]
    public void WhatIsReady_IsToldAgain(EventLoopInterest interest)
    {
        TaskCompletionSource here = new(TaskCreationOptions.RunContinuationsAsynchronously), there = new(TaskCreationOptions.RunContinuationsAsynchronously);
        EventLoopRegistration registration = Loop.Register(
            Pair.Here, interest, (_, _) => (EventLoop.Current == Loop ? here : there).TrySetResult(), null);
        Pair.There.Write(1);
        Deadline.Wait(here.Task);
        Deadline.Wait(registration.MoveToAsync(Other));
        Deadline.Wait(there.Task); // of the byte that nobody has read
        OnOther(registration.Dispose);
    }

    [Fact]
    public void OldLoop_BeginsNoCallOnceTheMoveHasBegun()
    {
        using Pair first = Pair.OfSockets();
        using ManualResetEventSlim entered = new(), leave = new();
        using var occupied = new ManualResetEventSlim();
        var told = new TaskCompletionSource<EventLoop?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using EventLoopRegistration blocking = Loop.Register(
            first.Here,
            Read | EdgeTriggered,
            (_, _) =>
            {
                entered.Set();
                Deadline.Wait(leave);
            },
            null);
        EventLoopRegistration registration = Loop.Register(Pair.Here, Read, (_, _) => told.TrySetResult(EventLoop.Current), null);
        Loop.Post(_ => Deadline.Wait(occupied), null);
        first.There.Write(1); // both are in the next batch, in this order
        Pair.There.Write(1);
        occupied.Set();
        Deadline.Wait(entered);

        Task moved = registration.MoveToAsync(Other);
        leave.Set();
        Assert.Equal(Other, Deadline.Result(told.Task));
        Deadline.Wait(moved);
    }

    [Fact]
    public void ByItsOwnHandler_WhichReadsOn_AndIsNotCalledBesideItself()
    {
        using ManualResetEventSlim entered = new(), leave = new();
        Task? moved = null;
        EventLoopRegistration? registration = null;
        int inside = 0;
        bool overlaps = false;
        var loops = new List<EventLoop?>();
        using var done = new ManualResetEventSlim();
        OnLoop(() => registration = Loop.Register(
            Pair.Here,
            Read,
            (_, _) =>
            {
                overlaps |= Interlocked.Increment(ref inside) != 1;
                loops.Add(EventLoop.Current);
                if (loops.Count == 1)
                {
                    moved = registration!.MoveToAsync(Other);
                    Assert.Equal((1, Loop), (registration.Read(new byte[1]).Count, registration.Loop));
                    entered.Set();
                    Deadline.Wait(leave);
                }
                else
                {
                    registration!.Interest = None;
                    done.Set();
                }

                Interlocked.Decrement(ref inside);
            },
            null));
        Pair.There.Write(1, 2);
        Deadline.Wait(entered);
        OnOther(static () => { });
        Assert.False(moved!.IsCompleted);
        leave.Set();
        Deadline.Wait(moved);
        Deadline.Wait(done);
        Assert.Equal([Loop, Other], loops);
        Assert.False(overlaps);
    }

    [Fact]
    public void HandleIsHeld_AndAnyThreadWrites_OnItsWay()
    {
        EventLoopRegistration registration = Loop.Register(Pair.Here, None, static (_, _) => { }, null);
        Pair.Here.Dispose(); // the registration alone holds it
        Task moved = Occupied(() => registration.MoveToAsync(Other), () =>
        {
            Assert.False(Pair.Here.IsReleased);
            Assert.Equal(1, registration.Write([1]).Count);
            Assert.Equal(2, OnLoop(() => registration.Write(Segments.Of([2, 3], 2))).Count);
            Assert.Throws<InvalidOperationException>(() => OnLoop(() => registration.Read(new byte[1])));
        });
        Deadline.Wait(moved);
        Assert.Equal([1, 2, 3], Pair.There.ReadAll());
        Assert.False(Pair.Here.IsReleased);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        Assert.True(Pair.Here.IsReleased);
    }

    [Theory, CombinatorialBooleans]
    public void InterestThatIsSetOnItsWay_IsThatOfTheNewLoop(bool byTheOldLoop)
    {
        var told = new Told();
        EventLoopRegistration registration = Watch(Pair.Here, None, told);
        Pair.There.Write(1);
        Deadline.Wait(Occupied(() => registration.MoveToAsync(Other), () =>
        {
            if (byTheOldLoop)
            {
                OnLoop(() => registration.Interest = Read);
            }
            else
            {
                registration.Interest = Read;
            }
        }));
        Assert.Equal(EventLoopReadiness.Read, told.Next());
    }

    [Fact]
    public void ToItsOwnLoop_IsNoMove()
    {
        EventLoopRegistration registration = Loop.Register(Pair.Here, None, static (_, _) => { }, null);
        Assert.True(registration.MoveToAsync(Loop).IsCompletedSuccessfully);
        Deadline.Wait(registration.MoveToAsync(Other));
        Deadline.Wait(registration.MoveToAsync(Loop));
        Assert.Equal(Loop, registration.Loop);
    }

    [Fact]
    public void WrongCalls_AreRefused_AndChangeNothing()
    {
        EventLoopRegistration registration = Loop.Register(Pair.Here, None, static (_, _) => { }, null);
        Assert.Throws<ArgumentNullException>("loop", () => { _ = registration.MoveToAsync(null!); });
        Deadline.Wait(Occupied(() => registration.MoveToAsync(Other), () =>
        {
            Assert.Throws<InvalidOperationException>(() => { _ = registration.MoveToAsync(Other); });
            Assert.Throws<InvalidOperationException>(() => { _ = registration.MoveToAsync(Loop); });
        }));
        Assert.Equal(Other, registration.Loop);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        Assert.Throws<ObjectDisposedException>(() => { _ = registration.MoveToAsync(Other); });
        Assert.Throws<ObjectDisposedException>(() => { _ = registration.MoveToAsync(Loop); });
    }
}
