using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Changing what to be told: on the loop at once, from other threads soon.</summary>
public sealed class InterestTests : DescriptorTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void None_HoldsTheHandlerBack_UntilTheInterestIsBack(bool onLoop)
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read, _told);
        Set(registration, None, onLoop);
        Assert.Equal(None, registration.Interest);
        OnLoop(static () => { }); // the loop has come to it
        _pair.There.Write(1);
        AwaitLook();
        Assert.Equal(0, _told.Count);

        _told.Then = _ => registration.Interest = None; // back-pressure from within the handler
        Set(registration, Read, onLoop);

        Assert.Equal(EventLoopReadiness.Read, _told.Next());
        AwaitLook();
        Assert.Equal(1, _told.Count);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public void None_IsToldOnceThatThePeerHasGone_UntilTheInterestIsSet(bool isPipe, bool onLoop)
    {
        using Pair pair = isPipe ? Pair.OfPipeToRead() : Pair.OfSockets();
        EventLoopRegistration registration = Watch(pair.Here, None, _told);
        pair.There.Dispose();
        for (int i = 1; i <= 3; i++)
        {
            Assert.Equal(EventLoopReadiness.Hangup, _told.Next());
            AwaitLook();
            AwaitLook(); // told in each turn, the loop would be busy for as long as the registration lasts
            Assert.Equal(i, _told.Count);
            Set(registration, None, onLoop);
        }

        _told.Next();
        Set(registration, Read, onLoop);
        Deadline.Until(() => _told.Count > 10); // a handler reads now: for as long as it lasts
        OnLoop(registration.Dispose);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ReadingBecomesWriting(bool onLoop)
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read | EdgeTriggered, _told);
        Set(registration, Write | EdgeTriggered, onLoop);
        Assert.Equal(EventLoopReadiness.Write, _told.Next());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void EdgeSetToWhatItWas_IsToldAgain(bool onLoop)
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read | EdgeTriggered, _told);
        _pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, _told.Next());
        for (int i = 2; i < 5; i++)
        {
            Set(registration, Read | EdgeTriggered, onLoop);
            Assert.Equal(EventLoopReadiness.Read, _told.Next());
            Assert.Equal(i, _told.Count);
        }
    }

    [Fact]
    public void TheLastOfManyThreadsSettings_Holds()
    {
        EventLoopRegistration registration = Watch(_pair.Here, None, _told);
        _pair.There.Write(1);
        StartGate.Run(4, _ =>
        {
            for (int i = 0; i < 500; i++)
            {
                registration.Interest = Write | EdgeTriggered;
                registration.Interest = None;
            }
        });
        AwaitLook(); // all of the settings have arrived
        int told = _told.Count;
        OnLoop(() => { });
        Assert.Equal(told, _told.Count);

        _told.Then = _ => registration.Interest = None;
        registration.Interest = Read;
        Deadline.Until(() => _told.Count > told);
    }

    [Fact]
    public void UnknownFlags_AreRefused_AndChangeNothing()
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read, _told);
        foreach (int unknown in (int[])[1 << 2, 1 << 3, 1 << 4, 1 << 6, int.MinValue, -1])
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => registration.Interest = (EventLoopInterest)unknown);
            OnLoop(() => Assert.Throws<ArgumentOutOfRangeException>(() => registration.Interest = (EventLoopInterest)unknown));
        }

        Assert.Equal(Read, registration.Interest);
        _told.Then = _ => registration.Dispose();
        _pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, _told.Next());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Disposed_IsRefused(bool onLoop)
    {
        EventLoopRegistration registration = Watch(_pair.Here, Read, _told);
        registration.Dispose();
        Assert.Throws<ObjectDisposedException>(() => Set(registration, Write, onLoop));
    }

    private void Set(EventLoopRegistration registration, EventLoopInterest interest, bool onLoop)
    {
        if (onLoop)
        {
            OnLoop(() => registration.Interest = interest);
        }
        else
        {
            registration.Interest = interest;
        }
    }
}
