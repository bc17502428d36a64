using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>T91: a watched handle stays open, and its number its own, until the watch ends; not a moment longer.</summary>
public sealed class RegistrationHandleTests : DescriptorTest
{
    [Fact]
    public void T91_HandleClosedWhileWatched_KeepsItsNumberAndItsHandler()
    {
        using var pair = Pair.OfSockets();
        var told = new Told();
        EventLoopRegistration registration = Watch(pair.Here, Read | EdgeTriggered, told);
        pair.Here.Dispose();

        Assert.False(pair.Here.IsReleased);
        Assert.True(Libc.IsOpen(pair.Here.Number));
        Pair[] others = Pair.OfSockets(20);
        Assert.DoesNotContain(others, other => other.Here.Number == pair.Here.Number || other.There.Number == pair.Here.Number);
        Array.ForEach(others, other => other.Dispose());
        pair.There.Write(7);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        OnLoop(() =>
        {
            byte[] buffer = new byte[2];
            Assert.True(registration.TryRead(buffer, out int count));
            Assert.Equal((1, 7), (count, buffer[0]));
            registration.Dispose();
        });

        Assert.True(pair.Here.IsReleased);
    }

    [Fact]
    public void T91_HandleIsNotClosedByItsWatch()
    {
        using var pair = Pair.OfSockets();
        var told = new Told();
        for (int i = 0; i < 3; i++)
        {
            EventLoopRegistration registration = Watch(pair.Here, Read, told);
            OnLoop(registration.Dispose);
        }

        Assert.True(Libc.IsOpen(pair.Here.Number));
        pair.Here.Dispose();
        Assert.True(pair.Here.IsReleased);
    }

    [Fact]
    public void T91_HandleThatNobodyHoldsButItsWatch_IsNotCollected()
    {
        var told = new Told();
        Descriptor there = WatchAndForget(told);
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        there.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        there.Dispose();
    }

    [Fact]
    public void T61_WatchThatHasEnded_KeepsNothingAlive()
    {
        var told = new Told();
        WeakReference[] forgotten = WatchAndEnd();
        Retention.AssertCollected(forgotten);
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private WeakReference[] WatchAndEnd()
    {
        using var pair = Pair.OfSockets();
        object state = new();
        EventLoopRegistration registration = Loop.Register(pair.Here, Read, static (_, _) => { }, state);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        OnLoop(static () => { }); // takes the place of what the loop ran last
        return [new(registration), new(pair.Here), new(state)];
    }

    private Descriptor WatchAndForget(Told told)
    {
        var pair = Pair.OfSockets();
        Watch(pair.Here, Read | EdgeTriggered, told);
        return pair.There;
    }
}
