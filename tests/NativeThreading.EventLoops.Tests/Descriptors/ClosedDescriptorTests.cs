using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A descriptor that was closed by its number, unknown to its handle: the errors have names, and the loop continues.</summary>
public sealed class ClosedDescriptorTests : DescriptorTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Dispose_EndsTheWatch(bool onLoop)
    {
        EventLoopRegistration registration = Closed();
        if (onLoop)
        {
            OnLoop(registration.Dispose);
        }
        else
        {
            Deadline.Wait(registration.DisposeAsync().AsTask());
        }

        AwaitLook();
        Assert.Equal(0, _told.Count);
    }

    [Fact]
    public void Calls_SayThatItIsNotOpen()
    {
        EventLoopRegistration registration = Closed();
        OnLoop(() =>
        {
            Assert.Equal(Libc.EBadF, Assert.Throws<IOException>(() => registration.TryRead(new byte[1], out _)).HResult);
            Assert.Equal(Libc.EBadF, Assert.Throws<IOException>(() => registration.TryWrite(new byte[1], out _)).HResult);
            Assert.Equal(Libc.EBadF, Assert.Throws<IOException>(() => registration.TryAccept(out _)).HResult);
            Assert.Equal(Libc.EBadF, Assert.Throws<IOException>(registration.ShutdownWrite).HResult);
        });
    }

    [Fact]
    public void InterestSetOnTheLoop_Throws()
    {
        EventLoopRegistration registration = Closed();
        OnLoop(() => Assert.Throws<InvalidOperationException>(() => registration.Interest = Write));
    }

    [Fact]
    public void InterestSetElsewhere_HasNobodyToThrowAt_SoTheHandlerIsToldOfAnError()
    {
        EventLoopRegistration registration = Closed();
        registration.Interest = Write;
        Assert.Equal(EventLoopReadiness.Error, _told.Next());
        AwaitLook();
        Assert.Equal(1, _told.Count);
    }

    [Fact]
    public void NumberThatIsRegisteredAgain_BelongsToTheNewWatch()
    {
        EventLoopRegistration old = Watch(_pair.Here, Read | EdgeTriggered, _told);
        using var pair = Pair.OfSockets();
        var told = new Told();
        Libc.Duplicate(pair.Here.Number, _pair.Here.Number); // closes what the number stood for
        using EventLoopRegistration registration = Watch(_pair.Here, Read | EdgeTriggered, told);
        OnLoop(() => Assert.Throws<InvalidOperationException>(() => old.Interest = Write));
        Deadline.Wait(old.DisposeAsync().AsTask());

        pair.There.Write(1);

        Assert.Equal(EventLoopReadiness.Read, told.Next());
        Assert.Equal(0, _told.Count);
    }

    /// <summary>A number that is not reused before the test is over: closed, but without leaving a gap to others' files.</summary>
    private EventLoopRegistration Closed()
    {
        EventLoopRegistration registration = OnLoop(() =>
        {
            int high = Libc.DuplicateAbove(_pair.Here.Number, 5_000);
            var handle = new Descriptor(high);
            EventLoopRegistration watched = Watch(handle, Read, _told);
            handle.CloseBehindItsBack();
            return watched;
        });
        return registration;
    }
}
