using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>The end of a watch: after it the handler is not called any more, and the handle has been let go.</summary>
public sealed class RegistrationDisposeTests : DescriptorTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    protected override void Release() => _pair.Dispose();

    [Fact]
    public void T79_InItsOwnHandler_IsItsLast()
    {
        EventLoopRegistration? registration = null;
        _pair.There.Write(1);
        OnLoop(() =>
        {
            registration = Watch(_pair.Here, Read, _told);
            _told.Then = _ => registration.Dispose();
        });
        _told.Next();

        AwaitLook();
        _pair.There.Write(2);
        AwaitLook();

        Assert.Equal(1, _told.Count);
        Assert.Throws<ObjectDisposedException>(() => registration!.Interest = Read);
    }

    [Fact]
    public void OnTheLoop_TakesEffectAtOnce()
    {
        _pair.Here.Dispose();
        using var pair = Pair.OfSockets();
        bool wasReleased = OnLoop(() =>
        {
            EventLoopRegistration registration = Watch(pair.Here, Read, _told);
            pair.Here.Dispose();
            Assert.False(pair.Here.IsReleased);
            registration.Dispose();
            return pair.Here.IsReleased;
        });
        Assert.True(wasReleased);
    }

    [Fact]
    public void OnAnotherThread_TakesEffectSoon_AndTheHandlerIsNotCalledAfterIt()
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read, _told);
        _pair.Here.Dispose();
        using (ManualResetEventSlim entered = new(), blocked = new())
        {
            Task waiting = Loop.InvokeAsync(() =>
            {
                entered.Set();
                Deadline.Wait(blocked);
            });
            Deadline.Wait(entered); // else the loop may look, and tell, before it blocks
            _pair.There.Write(1);
            registration.Dispose();
            Assert.False(_pair.Here.IsReleased); // the loop has not come to it
            blocked.Set();
            Deadline.Wait(waiting);
        }

        Deadline.Until(() => _pair.Here.IsReleased);
        Assert.Equal(0, _told.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Async_CompletesWhenTheHandleHasBeenLetGo(bool onLoop)
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read, _told);
        _pair.Here.Dispose();
        await Deadline.For(onLoop
            ? Loop.InvokeAsync(async () => await registration.DisposeAsync())
            : registration.DisposeAsync().AsTask());
        Assert.True(_pair.Here.IsReleased);
    }

    [Fact]
    public async Task Async_CompletesAfterTheRunningHandler()
    {
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        bool hasLeft = false;
        EventLoopRegistration registration = Loop.Register(
            _pair.Here,
            Read,
            (_, _) =>
            {
                entered.Set();
                Deadline.Wait(leave);
                Volatile.Write(ref hasLeft, true);
            },
            null);
        _pair.There.Write(1);
        Deadline.Wait(entered);

        Task disposed = registration.DisposeAsync().AsTask();
        Assert.False(disposed.IsCompleted);
        leave.Set();
        await Deadline.For(disposed);

        Assert.True(Volatile.Read(ref hasLeft));
    }

    [Fact]
    public void Repeated_FromManyThreads_IsHarmless()
    {
        for (int round = 0; round < 50; round++)
        {
            using var pair = Pair.OfSockets();
            EventLoopRegistration registration = Watch(pair.Here, Read, _told);
            pair.Here.Dispose();
            StartGate.Run(4, thread =>
            {
                if (thread == 0)
                {
                    registration.Dispose();
                }
                else if (thread == 1)
                {
                    OnLoop(registration.Dispose);
                }

                Deadline.Wait(registration.DisposeAsync().AsTask());
                Assert.True(pair.Here.IsReleased);
            });
        }
    }
}
