using System.Net.Sockets;
using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>
/// A number that was closed beneath a handle that does not own it, while a duplicate keeps the file open: the kernel continues
/// to report a file that no number names any more, and the loop must not spend its time on that (T140).
/// </summary>
public sealed class DuplicatedDescriptorTests : DescriptorTest
{
    /// <summary>Far more than a loop needs for what the test does, and far less than one that never sleeps has.</summary>
    private const int FewWaits = 500;

    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void T140_ClosedWhileADuplicateLives_DoesNotKeepTheLoopAwake(bool isDisposedOnLoop)
    {
        int number = Libc.DuplicateAbove(_pair.Here.Number, 6_000);
        EventLoopRegistration registration = Watch(new SafeSocketHandle(number, ownsHandle: false), Read, _told);
        Libc.Close(number);
        if (isDisposedOnLoop)
        {
            OnLoop(registration.Dispose);
        }
        else
        {
            Deadline.Wait(registration.DisposeAsync().AsTask());
        }

        using var other = Pair.OfSockets();
        var told = new Told();
        using EventLoopRegistration watched = Watch(other.Here, Read | EdgeTriggered, told);
        _pair.There.Write(1);
        Assert.InRange(WaitsOfAnIdleWhile(), 0, FewWaits);

        other.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        Assert.InRange(WaitsOfAnIdleWhile(), 0, FewWaits);
        Assert.Equal((0, 1), (_told.Count, told.Count));
    }

    [Fact]
    public void T140_NumberGivenToAnotherFile_DoesNotKeepTheLoopAwake()
    {
        using var stranger = Pair.OfSockets();
        int number = Libc.DuplicateAbove(_pair.Here.Number, 6_100);
        EventLoopRegistration registration = Watch(new SafeSocketHandle(number, ownsHandle: false), Read, _told);
        Libc.Duplicate(stranger.Here.Number, number); // closes what the number stood for
        OnLoop(registration.Dispose);
        _pair.There.Write(1);
        stranger.There.Write(1);
        Assert.InRange(WaitsOfAnIdleWhile(), 0, FewWaits);
        Assert.Equal(0, _told.Count);
        Libc.Close(number);
    }

    [Fact]
    public void T140_WhatElseWasClosedUnnoticed_IsToldOfAnErrorOnce()
    {
        int number = Libc.DuplicateAbove(_pair.Here.Number, 6_200);
        int another = Libc.DuplicateAbove(_pair.Here.Number, 6_300);
        EventLoopRegistration registration = Watch(new SafeSocketHandle(number, ownsHandle: false), Read, _told);
        var told = new Told();
        using EventLoopRegistration forgotten = Watch(new SafeSocketHandle(another, ownsHandle: false), None, told);
        Libc.Close(number);
        Libc.Close(another);
        OnLoop(registration.Dispose);
        _pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Error, told.Next());
        Assert.InRange(WaitsOfAnIdleWhile(), 0, FewWaits);
        Assert.Equal(1, told.Count);
    }

    /// <summary>How often the loop enters the kernel while a timer of 100 ms runs and nothing else happens.</summary>
    private long WaitsOfAnIdleWhile()
    {
        using var fired = new ManualResetEventSlim();
        using var timer = new EventLoopTimer(Loop, static fired => ((ManualResetEventSlim)fired!).Set(), fired);
        long before = OnLoop(() =>
        {
            timer.Arm(TimeSpan.FromMilliseconds(100));
            return Loop.Stats.Waits;
        });
        Deadline.Wait(fired);
        return OnLoop(() => Loop.Stats.Waits) - before;
    }
}
